import BelfryModel
import BelfryServerModel
import Testing

@testable import BelfryAPI

@Suite("JSON that a person wrote")
struct JSONInputTests {
    @Test(
        "CLI-4: an error is reported by line and column, in characters",
        arguments: [
            ("", 1, 1), ("{", 1, 2), (#"{"a":1,}"#, 1, 8), ("{\n  \"a\": 1\n  \"b\": 2\n}", 3, 3),
            ("{\r\n\"a\": tru\r\n}", 2, 6), (#"{"ä😀": 1 2}"#, 1, 10), ("[1,\n2]\n\n3", 4, 1), ("{\"a\":1\n", 2, 1),
        ]
    )
    func place(text: String, line: Int, column: Int) {
        let fault = #expect(throws: JSONInputError.self) { try JSONInput.check(Array(text.utf8)) }
        guard case .malformed(line, column, let expected)? = fault else {
            Issue.record("\(text.debugDescription): \(String(describing: fault))")
            return
        }
        #expect(!expected.isEmpty)
        #expect(fault.map { "\($0)" }?.contains("line \(line), column \(column)") == true)
    }

    @Test("CLI-4: an error in JSON of many lines is reported on its line")
    func anyLine() {
        let lines = ["{", #""a": [1,"#, #"2, {"b":"#, #"null}],"#, #""c": "d""#, "}"]
        for spoilt in lines.indices {
            var lines = lines
            lines[spoilt] = "%" + lines[spoilt]
            let text = lines.joined(separator: "\n")
            let fault = #expect(throws: JSONInputError.self) { try JSONInput.check(Array(text.utf8)) }
            guard case .malformed(spoilt + 1, 1, _)? = fault else {
                Issue.record("line \(spoilt + 1): \(String(describing: fault))")
                continue
            }
        }
    }

    @Test("CLI-4: JSON with the wrong content is reported by its field")
    func unfit() throws {
        func fault(_ text: String) -> JSONInputError? {
            #expect(throws: JSONInputError.self) { try JSONInput.decode(JSONWebKeySet.self, from: Array(text.utf8)) }
        }
        #expect(fault(#"{"keys":[{"kty":"EC"},{"kid":"a"}]}"#) == .unfit(field: "keys[1].kty", reason: "is missing"))
        #expect(fault("[]") == .unfit(field: nil, reason: "expected an object"))
        #expect(fault(#"{"keys":1}"#) == .unfit(field: "keys", reason: "expected a list"))
        let set = try JSONInput.decode(JSONWebKeySet.self, from: Array(#"{"keys":[{"kty":"EC"}]}"#.utf8))
        #expect(set.keys.map(\.kty) == ["EC"])
        #expect(throws: JSONInputError.notUTF8) { try JSONInput.check([0x22, 0xff, 0x22]) }
    }
}
