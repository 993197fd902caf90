/* SPDX-License-Identifier: MIT */
/*
 * Functions of the device, which are put in the place of their calls. Internal to the analyzer.
 */
#ifndef CT_FUNCTION_H
#define CT_FUNCTION_H

#include "parse.h"

enum { CT_ARGUMENTS_MAX = 24, CT_OVERLOADS_MAX = 16 };

/* Where a function stands, in tokens: its first word, its name, its parameters, its body and what
 * follows. */
typedef struct ct_definition {
    uint32_t head, name, list, body, end;
    bool is_lambda;
    uint32_t result; /* of a lambda: the type behind '->', 0: none is said */
    size_t later;    /* the same: the first name of the scope that it does not see */
} ct_definition;

/* The object that a method is called for. */
typedef struct ct_self {
    const smp_type *type;
    bool has_object; /* else the method is static */
    int array;       /* that it lies in, CT_ARRAY_LOCAL: in none */
    uint16_t slot;   /* where */
} ct_self;

/* The function whose body is being read. */
typedef struct ct_callee {
    ct_token name;
    ct_type_use use;
    bool is_pointer, is_reference;
    bool is_known; /* result is what the first 'return' made of it */
    ct_symbol result;
    const ct_self *self; /* of a method; else NULL */
} ct_callee;

/* True if a template of the device has that name. */
bool ct_function_is_template(const ct_parser *parser, const ct_token *name);
/* True if a function of the device of that name takes something by reference. */
bool ct_function_takes_reference(const ct_parser *parser, const ct_token *name);
/* "__device__", "inline" and their like. */
bool ct_function_qualifier(const ct_token *token);
/* The function that a call means, the current token being its parenthesis; *has: there is one that
 * must be followed. Of a class, its method; `type` NULL: a function that is none. */
bool ct_function_choose(ct_parser *parser, const ct_token *name, const smp_type *type,
                        ct_definition *out, bool *has);
/* Passes over a function that is defined or declared here, outside of everything; *has: one was. */
bool ct_function_skip(ct_parser *parser, bool *has);

/* True if the token is a parameter of that function's template. */
bool ct_function_names(const ct_parser *parser, const ct_definition *f, const ct_token *name);

/* function_bind.c: takes "<...>" of a call, if it stands there. */
bool ct_function_parse_given(ct_parser *parser, ct_given_part *parts, unsigned *count);
/* Binds the parameters of the template at `head` that are given or have a default. */
bool ct_function_bind_given(ct_parser *parser, uint32_t head, const ct_given_part *parts,
                            unsigned count);
/* Takes all arguments, each as one value on the stack; a reference as what it is. */
bool ct_function_parse_arguments(ct_parser *parser, const ct_definition *f, ct_operand *out,
                                 unsigned *count);
/* Takes them from the stack as variables. */
bool ct_function_bind_all(ct_parser *parser, const ct_definition *f, ct_operand *arguments,
                          unsigned count);

/* function_overload.c: which of them a call means, the current token being its parenthesis;
 * `count`: it does not follow. */
bool ct_function_overload(ct_parser *parser, const ct_definition *all, unsigned count,
                          unsigned *chosen);

/* function_call.c: a call of a function of the device, the current token being '(' or '<'; *is_one:
 * it is one that must be followed, else no more than "<...>" is taken. */
bool ct_function_call(ct_parser *parser, const ct_token *name, ct_operand *out, bool *is_one);
/* The same of a method of that object; *is_one: there is one. */
bool ct_function_call_method(ct_parser *parser, const ct_token *name, const ct_self *self,
                             ct_operand *out, bool *is_one);
/* "return value;" in a function's body, the word being taken. */
bool ct_function_return(ct_parser *parser);
/* A call of a lambda, the current token being its parenthesis. */
bool ct_function_call_lambda(ct_parser *parser, const ct_token *name, const ct_definition *f,
                             ct_operand *out);

/* lambda.c: true at "= [...](...) {". */
bool ct_lambda_starts(const ct_parser *parser);
/* Declares it by that name, the '=' being the current token, and passes over it. */
bool ct_lambda_declare(ct_parser *parser, const ct_token *name);
/* Its call, the name being taken. */
bool ct_lambda_use(ct_parser *parser, const ct_symbol *lambda, const ct_token *name,
                   ct_operand *out);

/* class.c: true if the token's name is that of a class template. */
bool ct_class_is_template(const ct_parser *parser, const ct_token *name);
/* "P<4, float>", the name being the current token: the struct that it makes. */
bool ct_class_parse(ct_parser *parser, const smp_type **out);
/* The constant of that name; NULL: there is none. */
const ct_static *ct_class_static(const smp_type *type, const ct_token *name);
/* expr_symbol.c: such a constant as a value on the stack. */
bool ct_class_push_static(ct_parser *parser, const ct_static *constant, size_t position,
                          ct_operand *out);
/* Fails if it has a constructor that may access memory: one with a body that names an array, or
 * that is given a pointer to one. */
bool ct_class_check_constructor(ct_parser *parser, const smp_type *type, bool has_pointer,
                                size_t position);
/* Declares its constants and what its template is given. */
bool ct_class_bind(ct_parser *parser, const smp_type *type);

/* method.c: "object.name(...)", the name being the current token, its offset on the stack. */
bool ct_method_parse(ct_parser *parser, ct_operand *object);
/* "object(...)" and "object[...]", where its type has such an operator; *has: it has. */
bool ct_method_operator(ct_parser *parser, ct_operand *object, bool *has);
/* "T::name(...)", the parenthesis being the current token; *has: T has such a method. */
bool ct_method_static(ct_parser *parser, const smp_type *type, const ct_token *name,
                      ct_operand *out, bool *has);
/* The members that a method's body names, as names of the object's own. */
bool ct_method_bind(ct_parser *parser, const ct_definition *f, const ct_self *self);

#endif
