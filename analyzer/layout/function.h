/* SPDX-License-Identifier: MIT */
/*
 * Functions of the device, which are put in the place of their calls. Internal to the analyzer.
 */
#ifndef SMP_FUNCTION_H
#define SMP_FUNCTION_H

#include "parse.h"

enum { SMP_ARGUMENTS_MAX = 24, SMP_OVERLOADS_MAX = 16 };

/* Where a function stands, in tokens: its first word, its name, its parameters, its body and what
 * follows. */
typedef struct smp_definition {
    uint32_t head, name, list, body, end;
    bool is_lambda;
    uint32_t result; /* of a lambda: the type behind '->', 0: none is said */
    size_t later;    /* the same: the first name of the scope that it does not see */
} smp_definition;

/* The object that a method is called for. */
typedef struct smp_self {
    const smp_type *type;
    bool has_object; /* else the method is static */
    int array;       /* that it lies in, SMP_ARRAY_LOCAL: in none */
    uint16_t slot;   /* where */
} smp_self;

/* The function whose body is being read. */
typedef struct smp_callee {
    smp_token name;
    smp_type_use use;
    bool is_pointer, is_reference;
    bool is_known; /* result is what the first 'return' made of it */
    smp_symbol result;
    const smp_self *self; /* of a method; else NULL */
} smp_callee;

/* function.c: the token behind the bracket that closes the one at `at`; END if there is none. */
uint32_t smp_behind_bracket(const smp_token *tokens, uint32_t at, char open, char close);
/* True if a template of the device has that name. */
bool smp_function_is_template(const smp_parser *parser, const smp_token *name);
/* True if a function of the device of that name takes something by reference. */
bool smp_function_takes_reference(const smp_parser *parser, const smp_token *name);
/* "__device__", "inline" and their like. */
bool smp_function_qualifier(const smp_token *token);
/* The function that a call means, the current token being its parenthesis; *has: there is one that
 * must be followed. Of a class, its method; `type` NULL: a function that is none. */
bool smp_function_choose(smp_parser *parser, const smp_token *name, const smp_type *type,
                         smp_definition *out, bool *has);
/* Passes over a function that is defined or declared here, outside of everything; *has: one was. */
bool smp_function_skip(smp_parser *parser, bool *has);

/* True if the token is a parameter of that function's template. */
bool smp_function_names(const smp_parser *parser, const smp_definition *f, const smp_token *name);

/* function_bind.c: takes "<...>" of a call, if it stands there. */
bool smp_function_parse_given(smp_parser *parser, smp_given_part *parts, unsigned *count);
/* Binds the parameters of the template at `head` that are given or have a default. */
bool smp_function_bind_given(smp_parser *parser, uint32_t head, const smp_given_part *parts,
                             unsigned count);
/* Takes all arguments, each as one value on the stack; a reference as what it is. */
bool smp_function_parse_arguments(smp_parser *parser, const smp_definition *f, smp_operand *out,
                                  unsigned *count);
/* Takes them from the stack as variables. */
bool smp_function_bind_all(smp_parser *parser, const smp_definition *f, smp_operand *arguments,
                           unsigned count);

/* function_overload.c: which of them a call means, the current token being its parenthesis;
 * `count`: it does not follow. */
bool smp_function_overload(smp_parser *parser, const smp_definition *all, unsigned count,
                           unsigned *chosen);

/* function_call.c: a call of a function of the device, the current token being '(' or '<'; *is_one:
 * it is one that must be followed, else no more than "<...>" is taken. */
bool smp_function_call(smp_parser *parser, const smp_token *name, smp_operand *out, bool *is_one);
/* The same of a method of that object; *is_one: there is one. */
bool smp_function_call_method(smp_parser *parser, const smp_token *name, const smp_self *self,
                              smp_operand *out, bool *is_one);
/* "return value;" in a function's body, the word being taken. */
bool smp_function_return(smp_parser *parser);
/* A call of a lambda, the current token being its parenthesis. */
bool smp_function_call_lambda(smp_parser *parser, const smp_token *name, const smp_definition *f,
                              smp_operand *out);

/* lambda.c: true at "= [...](...) {". */
bool smp_lambda_starts(const smp_parser *parser);
/* Declares it by that name, the '=' being the current token, and passes over it. */
bool smp_lambda_declare(smp_parser *parser, const smp_token *name);
/* Its call, the name being taken. */
bool smp_lambda_use(smp_parser *parser, const smp_symbol *lambda, const smp_token *name,
                    smp_operand *out);

/* class.c: true if the token's name is that of a class template. */
bool smp_class_is_template(const smp_parser *parser, const smp_token *name);
/* "P<4, float>", the name being the current token: the struct that it makes. */
bool smp_class_parse(smp_parser *parser, const smp_type **out);
/* The constant of that name; NULL: there is none. */
const smp_static *smp_class_static(const smp_type *type, const smp_token *name);
/* expr_symbol.c: such a constant as a value on the stack. */
bool smp_class_push_static(smp_parser *parser, const smp_static *constant, size_t position,
                           smp_operand *out);
/* Fails if it has a constructor that may access memory: one with a body that names an array, or
 * that is given a pointer to one. */
bool smp_class_check_constructor(smp_parser *parser, const smp_type *type, bool has_pointer,
                                 size_t position);
/* Declares its constants and what its template is given. */
bool smp_class_bind(smp_parser *parser, const smp_type *type);

/* method.c: "object.name(...)", the name being the current token, its offset on the stack. */
bool smp_method_parse(smp_parser *parser, smp_operand *object);
/* "object(...)" and "object[...]", where its type has such an operator; *has: it has. */
bool smp_method_operator(smp_parser *parser, smp_operand *object, bool *has);
/* "T::name(...)", the parenthesis being the current token; *has: T has such a method. */
bool smp_method_static(smp_parser *parser, const smp_type *type, const smp_token *name,
                       smp_operand *out, bool *has);
/* The members that a method's body names, as names of the object's own. */
bool smp_method_bind(smp_parser *parser, const smp_definition *f, const smp_self *self);

#endif
