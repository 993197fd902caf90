/* SPDX-License-Identifier: MIT */
/* Whole structs are read and set member by member. */
#include "struct_members.h"

#include <inttypes.h>
#include <string.h>

#include "source_words.h"

#define WHOLE "whole" /* the variable whose members are copied */

/* ---- Members ---- */

static unsigned count_of(host_span extents) {
    unsigned count = 0;
    if (extents.length < 3 || extents.text[extents.length - 1] != ']')
        return 0;
    for (size_t i = 1; i + 1 < extents.length; i++)
        if (!isdigit((unsigned char)extents.text[i]) || (count = count * 10) > 64)
            return 0;
        else
            count += (unsigned)(extents.text[i] - '0');
    return count;
}

/* Adds one declarator: "x" or " w[3]". */
static bool add_member(struct_members *to, host_span type, host_span declarator) {
    const char *bracket = memchr(declarator.text, '[', declarator.length);
    struct_member one = {.type = type, .name = host_declared_name(declarator)};
    if (bracket)
        one.extents = host_trim(
            (host_span){bracket, declarator.length - (size_t)(bracket - declarator.text)});
    one.count = count_of(one.extents);
    if (one.name.length == 0 || type.length == 0 || to->count == STRUCT_MEMBERS_MAX)
        return false;
    to->list[to->count++] = one;
    return true;
}

/* Adds the members of "float x, y, w[3]". */
static bool add_members(struct_members *to, host_span statement) {
    host_span part, first;
    if (!host_part(statement, 0, &first))
        return false;
    const host_span name = host_declared_name(first);
    const host_span type = host_between(statement.text, name.text);
    for (unsigned i = 0; host_part(statement, i, &part); i++)
        if (!add_member(to, type, part))
            return false;
    return true;
}

bool struct_members_read(host_span body, struct_members *out) {
    out->count = 0;
    for (size_t i = 0; i < body.length; i++)
        if (strchr("(){}=:*&#<", body.text[i]))
            return false;
    for (size_t at = 0; at < body.length;) {
        const char *end = memchr(body.text + at, ';', body.length - at);
        const size_t length = end ? (size_t)(end - body.text) - at : body.length - at;
        const host_span statement = host_trim((host_span){body.text + at, length});
        if (statement.length > 0 && (!end || !add_members(out, statement)))
            return false;
        at += length + 1;
    }
    return out->count > 0;
}

uint64_t struct_members_sizes(const struct_members *of, char *out, size_t size) {
    uint64_t sum = 0;
    text_buffer text = text_buffer_over(out, size);
    EACH(const struct_member, one, of->list, of->count) {
        const uint32_t bytes = shared_element_bytes(one->type);
        if (bytes == 0 || sum % bytes != 0 || (one->extents.length > 0 && one->count == 0))
            return 0;
        for (unsigned k = 0; k < one->count || k == 0; k++, sum += bytes)
            text_join(&text, ",", "%" PRIu32, bytes);
    }
    return text.length + 1 < text.size ? sum : 0;
}

void struct_members_write(const struct_members *of, host_span indent, const char *extents,
                          text_buffer *out) {
    for (unsigned i = 0; i < of->count; i++) {
        const struct_member *one = &of->list[i];
        const bool is_next = i > 0 && one->type.text == one[-1].type.text;
        if (is_next)
            text_add(out, ", ");
        else
            text_add(out, "%s%.*s%.*s ", i > 0 ? ";\n" : "", SPAN(indent), SPAN(one->type));
        text_add(out, "%.*s%.*s%s", SPAN(one->name), SPAN(one->extents), extents);
    }
    text_add(out, ";\n");
}

/* ---- Elements ---- */

static const struct_member *member_named(const struct_members *of, host_span name) {
    return FIND(one, of->list, of->count, host_same(one->name, name));
}

/* Rewrites ".w[k]" after the element: the index moves after it. */
static const char *write_member(const struct_element *of, size_t point, text_edits *edits) {
    const host_span word = source_word(of->text, source_behind_blanks(of->text, point + 1));
    const struct_member *member = member_named(of->members, word);
    size_t end = (size_t)(word.text - of->text) + word.length;
    if (!member)
        return "by something that is no member";
    for (size_t i = 0; i < member->extents.length; i++) {
        if (member->extents.text[i] != '[')
            continue;
        if (of->text[end] != '[')
            return "with a member that is an array, as a whole";
        end = shared_behind(of->text, end);
    }
    const size_t index = (size_t)(of->name.text - of->text) + of->name.length;
    text_edits_add(edits, index, of->end - index, "%s", of->front);
    text_edits_add(edits, end, 0, "%s", of->back);
    return NULL;
}

/* Calls the function for each member, or each of its elements ("[2]" or ""). False if there are
 * too many. */
static bool for_each(const struct_element *of,
                     void (*add)(const struct_element *, const struct_member *, const char *index,
                                 text_buffer *),
                     text_buffer *out) {
    char index[16] = "";
    EACH(const struct_member, member, of->members->list, of->members->count) {
        if (member->extents.length > 0 && member->count == 0)
            return false;
        for (unsigned i = 0; i < member->count || i == 0; i++) {
            if (member->count > 0)
                (void)snprintf(index, sizeof index, "[%u]", i);
            add(of, member, member->count > 0 ? index : "", out);
        }
    }
    return out->length + 1 < out->size;
}

static void add_place(const struct_element *of, const struct_member *member, const char *index,
                      text_buffer *out) {
    text_add(out, "%.*s%s.%.*s%s%s", SPAN(of->name), of->front, SPAN(member->name), index,
             of->back);
}

static void add_value(const struct_element *of, const struct_member *member, const char *index,
                      text_buffer *out) {
    const bool is_first = out->text[out->length - 1] == '{';
    text_add(out, is_first ? "" : ", ");
    add_place(of, member, index, out);
}

static void add_setting(const struct_element *of, const struct_member *member, const char *index,
                        text_buffer *out) {
    add_place(of, member, index, out);
    text_add(out, " = " WHOLE ".%.*s%s;\n", SPAN(member->name), index);
}

static bool is_behind(const char *text, size_t end, const char *word) {
    const size_t length = strlen(word);
    return end >= length && memcmp(text + end - length, word, length) == 0;
}

/* Replaces the statement by a block with matching indentation. */
static void write_block(const struct_element *of, size_t equals, size_t end, const char *lines,
                        text_edits *edits) {
    const char *text = of->text;
    const size_t begin = (size_t)(of->name.text - text), front = source_before_blanks(text, begin);
    const bool is_held = front > 0 && !strchr(";{}", text[front - 1]);
    const size_t from = is_held ? front : begin;
    const host_span indent = source_margin(text, from);
    const char *step = indent.length > 0 && *indent.text == '\t' ? "\t" : "    ";
    char inner[STRUCT_TEXT * 2];
    text_buffer out = TEXT_BUFFER(inner);
    for (const char *at = lines; *at; at += strcspn(at, "\n") + 1)
        text_add(&out, "%.*s%s%.*s\n", SPAN(indent), step, (int)strcspn(at, "\n"), at);
    text_edits_add(edits, from, equals - from, "%s{\n%.*s%sconst %.*s " WHOLE " ",
                   is_held ? " " : "", SPAN(indent), step, SPAN(of->type));
    text_edits_add(edits, end + 1, 0, "\n%s%.*s}", inner, SPAN(indent));
}

/* Rewrites "nodes[i] = value;". */
static const char *write_setting(const struct_element *of, size_t equals, text_edits *edits) {
    static const host_span whole = {WHOLE, sizeof WHOLE - 1};
    char settings[STRUCT_TEXT];
    text_buffer out = TEXT_BUFFER(settings);
    const size_t begin = (size_t)(of->name.text - of->text);
    const size_t end = source_until(of->text, equals, ";");
    if (source_next_word(of->text, whole, begin, end) < end)
        return "as a whole with a value that is called '" WHOLE "'";
    if (of->text[end] != ';' || !for_each(of, add_setting, &out))
        return "as a whole with too many members";
    write_block(of, equals, end, settings, edits);
    return NULL;
}

static size_t before_word(const char *text, size_t end) {
    return (size_t)(source_name_before(text, end).text - text);
}

/* Whether "node one = " with the type precedes it. */
static bool is_typed(const struct_element *of, size_t begin) {
    const size_t equals = source_before_blanks(of->text, begin);
    if (equals == 0 || of->text[equals - 1] != '=')
        return false;
    const size_t name = before_word(of->text, equals - 1), type = before_word(of->text, name);
    return type < name && host_same(source_word(of->text, type), of->declared);
}

/* Rewrites a whole element as a value: "= nodes[i];" or "f(nodes[i], 1)". */
static const char *write_value(const struct_element *of, text_edits *edits) {
    char values[STRUCT_TEXT];
    text_buffer out = TEXT_BUFFER(values);
    const size_t begin = (size_t)(of->name.text - of->text);
    if (!is_typed(of, begin))
        text_add(&out, "%.*s", SPAN(of->type));
    text_add(&out, "{");
    if (!for_each(of, add_value, &out))
        return "as a whole with too many members";
    text_edits_add(edits, begin, of->end - begin, "%s}", values);
    return NULL;
}

const char *struct_element_write(const struct_element *of, text_edits *edits) {
    const char *text = of->text;
    const size_t next = source_behind_blanks(text, of->end);
    const size_t front = source_before_blanks(text, (size_t)(of->name.text - text));
    const char before = front > 0 ? text[front - 1] : ';';
    if (text[next] == '.')
        return write_member(of, next, edits);
    if (text[next] == '=' && text[next + 1] != '=' &&
        (strchr(";{})", before) || is_behind(text, front, "else")))
        return write_setting(of, next, edits);
    const bool is_set = before == '=' && front > 1 && !strchr("=!<>", text[front - 2]);
    if (strchr(";,)", text[next]) &&
        (is_set || strchr("(,", before) || is_behind(text, front, "return")))
        return write_value(of, edits);
    return "as a whole";
}
