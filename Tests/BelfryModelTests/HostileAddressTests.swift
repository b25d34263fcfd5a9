import BelfryModel
import BelfryTestSupport
import Testing

struct HostileAddressTests {
    @Test("SEC-7, MC-8: an address in a request contains no delimiter, and is decoded unchanged")
    func wireURLs() {
        for text in HostileText.all {
            let encoded = WireURL.encoded(text)
            #expect(encoded.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f }, "\(text.debugDescription)")
            #expect(!encoded.utf8.contains { "\"\\<>&/?#,;: ".utf8.contains($0) }, "\(text.debugDescription)")
            #expect(WireURL.decoded(encoded)?.utf8.elementsEqual(text.utf8) == true, "\(text.debugDescription)")
        }
    }

    @Test("SEC-7, REG-9: no combining mark after the prefix of the server's own keys makes one of them a contact's")
    func anonymousKeys() {
        for mark in HostileText.marks {
            let key = ContactKey.anonymousPrefix + mark + "x"
            let begins = key.precomposedStringWithCanonicalMapping.utf8.starts(with: ContactKey.anonymousPrefix.utf8)
            #expect(begins == ((try? ContactKey(key)) == nil), "\(mark.debugDescription)")
        }
    }

    @Test("SEC-7, WIRE-5: a browser's keys become base64url, whatever mark follows a sign of plain base64")
    func subscriptionKeys() throws {
        for mark in HostileText.marks {
            let keys = BrowserSubscription.Keys(p256dh: "a+\(mark)b/\(mark)", auth: "c==")
            let text = try BrowserSubscription(endpoint: "https://push.example.com/1", keys: keys).text
            let read = try #require(BrowserSubscription(text: text))
            let key = Array(read.keys.p256dh.utf8)
            #expect(key == Array("a-\(mark)b_\(mark)".utf8), "\(mark.debugDescription)")
            #expect(read.keys.auth == "c")
        }
    }

    @Test("SEC-7: texts that Swift considers equal are one attribute key, and none of them is lost or traps")
    func equalKeys() throws {
        let keys = ["é", "e\u{301}", "\u{212b}", "\u{c5}", "A\u{30a}"].map { try? AttributeKey($0) }.compactMap(\.self)
        #expect(keys.count == 5 && Set(keys).count == 2 && Set(keys.map { Array($0.rawValue.utf8) }).count == 2)
    }
}
