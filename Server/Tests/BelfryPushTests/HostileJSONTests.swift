import BelfryModel
import BelfryServerTestSupport
import BelfryTestSupport
import Foundation
import Testing

@testable import BelfryPush

struct HostileJSONTests {
    /// A string of JSON holds none of these bytes unescaped.
    private static func isWithin(_ bytes: some Collection<UInt8>) -> Bool {
        var isEscaped = false
        for byte in bytes {
            if byte < 0x20 { return false }
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                return false
            }
        }
        return !isEscaped
    }

    @Test("SEC-7: no text leaves its JSON string, and each is read back unchanged")
    func strings() throws {
        for text in HostileText.all {
            var once: [UInt8] = []
            JSONEscape.append(text, to: &once)
            #expect(Self.isWithin(once), "\(text.debugDescription)")
            let read = try JSONDecoder().decode([String].self, from: Data("[\"".utf8 + once + "\"]".utf8))
            #expect(read.first?.utf8.elementsEqual(text.utf8) == true, "\(text.debugDescription)")
            var twice: [UInt8] = []
            JSONEscape.append(text, times: 2, to: &twice)
            let outer = try JSONDecoder().decode([String].self, from: Data("[\"".utf8 + twice + "\"]".utf8))
            #expect(outer.first?.utf8.elementsEqual(once) == true, "\(text.debugDescription)")
        }
    }

    @Test("SEC-7: a key that FCM reserves is recognised by its bytes, whatever mark follows")
    func reservedKeys() {
        for mark in HostileText.marks {
            #expect(FCMPayloadTemplate.isReserved("google" + mark), "\(mark.debugDescription)")
            #expect(FCMPayloadTemplate.isReserved("gcm" + mark + "n"), "\(mark.debugDescription)")
        }
        #expect(!FCMPayloadTemplate.isReserved("goggle\u{301}"))
    }
}
