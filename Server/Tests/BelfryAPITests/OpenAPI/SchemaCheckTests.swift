import BelfryTestSupport
import Testing

@Suite("The check of JSON against schemas")
struct SchemaCheckTests {
    private static func errors(_ value: String, _ schema: String, isClosed: Bool = false) throws -> [String] {
        let document = try JSONValue(json: #"{"components":{"schemas":{"Word":{"type":"string","maxLength":3}}}}"#)
        return SchemaCheck(document: document, isClosed: isClosed).errors(
            of: try JSONValue(json: value), try JSONValue(json: schema))
    }

    @Test(
        "WIRE-28: a value that matches its schema has no errors",
        arguments: [
            ("1", #"{"type":"integer"}"#), ("1.5", #"{"type":"number"}"#), ("true", #"{"type":["string","boolean"]}"#),
            (#""abc""#, ##"{"$ref":"#/components/schemas/Word"}"##), ("[]", #"{"type":"array","maxItems":0}"#),
            (#"{"a":1}"#, #"{"properties":{"a":{"type":"integer"}},"required":["a"]}"#),
            (#"{"a":1,"b":2}"#, #"{"properties":{"a":{"type":"integer"}}}"#),
            (#"{"x":"y"}"#, #"{"additionalProperties":{"type":"string"}}"#),
            ("3", #"{"oneOf":[{"type":"string"},{"type":"integer","minimum":3}]}"#),
            (#""ab""#, #"{"pattern":"^[a-b]+$"}"#), (#""éé""#, #"{"minLength":2,"maxLength":2}"#),
            ("true", #"{"const":true,"description":"words"}"#), ("2", #"{"enum":[1,2]}"#),
        ]
    )
    func fits(value: String, schema: String) throws {
        #expect(try Self.errors(value, schema) == [])
    }

    @Test(
        "WIRE-28: a value that does not match its schema is an error with its place",
        arguments: [
            ("1.5", #"{"type":"integer"}"#, "$"), ("null", #"{"type":"string"}"#, "$"),
            ("1", #"{"type":"boolean"}"#, "$"),
            (#""abcd""#, ##"{"$ref":"#/components/schemas/Word"}"##, "$"), (#""a""#, ##"{"$ref":"#/no"}"##, "$"),
            ("[1]", #"{"type":"array","maxItems":0}"#, "$"), ("[1,true]", #"{"items":{"type":"integer"}}"#, "$[1]"),
            (#"{"a":"x"}"#, #"{"properties":{"a":{"type":"integer"}}}"#, "$.a"), ("{}", #"{"required":["a"]}"#, "$.a"),
            (#"{"b":1}"#, #"{"additionalProperties":false,"properties":{"a":{}}}"#, "$.b"),
            (#"{"x":1}"#, #"{"additionalProperties":{"type":"string"}}"#, "$.x"),
            ("2", #"{"oneOf":[{"type":"string"},{"minimum":3}]}"#, "$"),
            ("3", #"{"oneOf":[{"type":"integer"},{"minimum":3}]}"#, "$"), (#""c""#, #"{"pattern":"^[a-b]+$"}"#, "$"),
            ("4", #"{"maximum":3}"#, "$"), ("\"\"", #"{"minLength":1}"#, "$"), ("false", #"{"const":true}"#, "$"),
            ("3", #"{"enum":[1,2]}"#, "$"), ("1", #"{"multipleOf":2}"#, "$"), ("1", "true", "$"),
        ]
    )
    func fails(value: String, schema: String, place: String) throws {
        let errors = try Self.errors(value, schema)
        #expect(errors.count == 1)
        #expect(errors.first?.hasPrefix(place) == true, "\(errors)")
    }

    @Test("WIRE-28: a closed check accepts no member that is not in the schema")
    func closed() throws {
        let schema = #"{"properties":{"a":{"properties":{"b":{}}}}}"#
        #expect(try Self.errors(#"{"a":{"b":1}}"#, schema, isClosed: true) == [])
        #expect(try Self.errors(#"{"a":{"c":1}}"#, schema, isClosed: true) == ["$.a.c is not described"])
        #expect(try Self.errors(#"{"a":{"c":1}}"#, schema) == [])
    }
}
