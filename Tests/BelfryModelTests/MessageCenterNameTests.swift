import BelfryModel
import BelfryTestSupport
import Foundation
import Testing

struct MessageCenterNameTests {
    @Test("MC-2: a center's name is case-sensitive", arguments: ["Offers", "a", "A-1_b", "9"])
    func accepted(name: String) throws {
        #expect(try MessageCenterName(name).rawValue == name)
        #expect(try MessageCenterName(name) == MessageCenterName(stored: name))
        let isOwnUpperCase = name.uppercased() == name
        #expect(try (MessageCenterName(name.uppercased()) == MessageCenterName(name)) == isOwnUpperCase)
    }

    @Test("MC-2: names have 1 to 64 letters, digits, '-' and '_'")
    func rejected() throws {
        let longest = String(repeating: "n", count: MessageCenterName.maximumLength)
        #expect(try MessageCenterName(longest).rawValue == longest)
        for name in ["", " ", " a", "a\n", "a b", "a/b", "é", "a.b", "a\0", longest + "n"] {
            #expect(valueErrorCode { try MessageCenterName(name) } == "invalidMessageCenterName", "\(name)")
        }
    }

    @Test("MC-2: every app has a primary center, whose name is 'Primary'")
    func primary() throws {
        #expect(try MessageCenterName("Primary") == .primary && MessageCenterName.primary.isPrimary)
        #expect(try !MessageCenterName("primary").isPrimary)
    }

    @Test("MC-2: a name is a text in JSON, and an invalid one is refused with what is allowed")
    func json() throws {
        let written = try JSONEncoder().encode([MessageCenterName.primary])
        #expect(String(decoding: written, as: UTF8.self) == #"["Primary"]"#)
        #expect(try JSONDecoder().decode([MessageCenterName].self, from: written) == [.primary])
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([MessageCenterName].self, from: Data(#"["a b"]"#.utf8))
        }
    }
}
