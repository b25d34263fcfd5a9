import BelfryModel
import BelfryTestSupport
import Foundation
import Testing

@Suite("Numbers, addresses, base64 and ids from outside")
struct OutsideTextTests {
    @Test("SEC-6: a whole number is digits, and is nil if it does not fit its type")
    func wholeNumbers() {
        let good: [(String, Int64)] = [
            ("0", 0), ("-0", 0), ("007", 7), ("42", 42), ("-42", -42), ("9223372036854775807", .max),
            ("-9223372036854775808", .min), ("00000000000000000001", 1),
        ]
        for (text, number) in good { #expect(WholeNumber.read(text) == number, "\(text)") }
        let bad = [
            "", "-", "+1", "--1", "1-", " 1", "1 ", "1.0", "1e3", "0x10", "٣", "１", "1\u{301}", "\u{600}1",
            "9223372036854775808",
            "-9223372036854775809", "000000000000000000001", "nan",
        ]
        for text in bad { #expect(WholeNumber.read(text, as: Int64.self) == nil, "\(text.debugDescription)") }
        #expect(WholeNumber.read("255", as: UInt8.self) == 255)
        #expect(WholeNumber.read("256", as: UInt8.self) == nil)
        #expect(WholeNumber.read("-1", as: UInt8.self) == nil)
        #expect(WholeNumber.read("-128", as: Int8.self) == -128)
        #expect(WholeNumber.read("128", as: Int8.self) == nil)
        #expect(WholeNumber.read("18446744073709551615", as: UInt64.self) == .max)
        #expect(WholeNumber.read("18446744073709551616", as: UInt64.self) == nil)
    }

    @Test("SEC-6: every short text of digits, signs and other characters is read as a number or as nil")
    func shortNumbers() {
        for text in HostileTexts.all(of: "019-+.eExnaif \u{660}\u{301}", upTo: 3) {
            #expect(
                WholeNumber.read(text, as: Int.self) == nil || WholeNumber.read(text) == Int(text),
                "\(text.debugDescription)")
            if let number = DecimalText.number(text) { #expect(number == Double(text), "\(text.debugDescription)") }
        }
        for text in HostileTexts.around(["12", "-1.5e10", "1e99"]) { _ = DecimalText.number(text) }
    }

    @Test("SEC-6: an address uses only the characters of RFC 3986, whatever the input was")
    func addresses() {
        let good = [
            ("https://x/\u{e9}", "https://x/%C3%A9"), ("https://x/a b", "https://x/a%20b"),
            ("https://x/%zz", "https://x/%25zz"),
            ("https://x/?a[]=1#b#c", "https://x/?a%5B%5D=1#b%23c"), ("shop://open?x=\u{301}", "shop://open?x=%CC%81"),
            ("mailto:a@b", "mailto:a@b"), ("tel:+49", "tel:+49"), ("products/1 2", "products/1%202"),
            ("/here?a=b?c", "/here?a=b?c"),
            ("https://[::1]:8080/x", "https://[::1]:8080/x"), ("//x/y", "//x/y"),
            ("https://x/a%20b", "https://x/a%20b"), ("https://x/ü%20%zz", "https://x/%C3%BC%20%25zz"),
            ("https://x/\u{200d}\u{fe0f}", "https://x/%E2%80%8D%EF%B8%8F"), (#"https://x/a\b"#, "https://x/a%5Cb"),
            ("https://user@x:1/a//b", "https://user@x:1/a//b"), ("a://b://c", "a://b://c"),
        ]
        for (text, expected) in good { #expect(URLText.url(text)?.absoluteString == expected, "\(text)") }
        let bad = [
            "", "https://\u{e9}/x", "https://a b/", "https://x/\u{0}", "https://x/\n", "https://x\u{600}/",
            "https://[x/",
            "https://x/" + String(repeating: "a", count: URLText.maximumLength),
        ]
        for text in bad { #expect(URLText.url(text) == nil, "\(text.prefix(40).debugDescription)") }
    }

    @Test("SEC-6: every short text, and every address with something hostile in it, is read as an address or as nil")
    func shortAddresses() {
        let alphabet = "a/:?#[]@%.&=+0 \\\u{e9}\u{600}"
        for text in HostileTexts.all(of: alphabet, upTo: 3) + HostileTexts.around(["https://[::1]:80/a%20b?c=d#e"]) {
            guard let url = URLText.url(text) else { continue }
            #expect(url.absoluteString.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f }, "\(text.debugDescription)")
            // What apps expect of an address.
            _ = (url.scheme, url.host, url.port, url.path(percentEncoded: true), url.query, url.fragment, url.user)
        }
        for text in HostileTexts.all(of: "a:/?#[]%0", upTo: 3).map({ "https://\($0)" }) {
            guard let url = URLText.url(text) else { continue }
            _ = (url.scheme, url.host, url.port, url.path(percentEncoded: true), url.query, url.fragment, url.user)
        }
    }

    @Test("SEC-6: base64 is read as Foundation reads it, in its own alphabet only", arguments: 1...4)
    func base64(seed: UInt64) {
        var dice = SeededGenerator(seed: seed)
        for _ in 0..<500 {
            let bytes = (0..<Int.random(in: 0...40, using: &dice)).map { _ in UInt8.random(in: 0...255, using: &dice) }
            let text = Data(bytes).base64EncodedString()
            #expect(Base64Text.bytes(text, alphabet: .standard) == bytes)
            let plain = text.replacing("=", with: "")
            #expect(Base64Text.bytes(plain, alphabet: .standard) == bytes)
            let url = plain.replacing("+", with: "-").replacing("/", with: "_")
            #expect(Base64Text.bytes(url, alphabet: .url) == bytes)
            if url != plain { #expect(Base64Text.bytes(url, alphabet: .standard) == nil) }
        }
    }

    @Test("SEC-6: every short text is base64 or not, and Foundation reads it the same way")
    func shortBase64() {
        for text in HostileTexts.all(of: "Az+/=-\u{e9}\u{301}", upTo: 4) {
            let bytes = Base64Text.bytes(text, alphabet: .standard)
            let padded = text.contains("=") ? text : text + String(repeating: "=", count: (4 - text.count % 4) % 4)
            // Foundation also takes letters behind a padding.
            if bytes == nil, text.contains("=") { continue }
            #expect(bytes == Data(base64Encoded: padded).map(Array.init), "\(text.debugDescription)")
        }
        for text in ["AA=A", "A===", "AA=", "====", "A", "AAAAA", "AAA=="] {
            #expect(Base64Text.bytes(text, alphabet: .standard) == nil, "\(text)")
        }
        #expect(Base64Text.bytes("", alphabet: .standard) == [])
    }

    @Test("SEC-6: a message id is 36 digits and dashes")
    func messageIDs() {
        let text = "0197e2b4-0000-8000-8000-00000000abcd"
        #expect(MessageID(text)?.text == text)
        for text in HostileTexts.around([text]) {
            guard let id = MessageID(text) else { continue }
            #expect(id.text == text.lowercased(), "\(text.debugDescription)")
        }
        for text in ["", "{\(text)}", text.replacing("-", with: ""), text + "0"] { #expect(MessageID(text) == nil) }
    }
}
