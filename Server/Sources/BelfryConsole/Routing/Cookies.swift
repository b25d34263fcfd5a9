import BelfryModel
import Crypto
import Foundation
import Hummingbird

/// The cookies of a request (RFC 6265 §5.4).
struct Cookies: Sendable {
    private var values: [String: String] = [:]

    init(_ headers: [String]) {
        for header in headers {
            for pair in header.utf8.prefix(16_384).split(separator: UInt8(ascii: ";")) {
                let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
                guard parts.count == 2 else { continue }
                let name = String(Substring(parts[0].drop { $0 == UInt8(ascii: " ") }))
                // If a cookie occurs twice, the first one counts: it has the longer path.
                if values[name] == nil { values[name] = String(Substring(parts[1])) }
            }
        }
    }

    subscript(_ name: String) -> String? { values[name] }
}

/// A cookie to set or delete.
struct SetCookie: Sendable {
    let name: String
    let value: String
    /// The lifetime in seconds; nil: until the browser is closed; 0 deletes the cookie.
    let maximumAge: Int?
    let isSecure: Bool

    /// The header's value. Scripts cannot read the cookie, and browsers do not send it with forms of other sites.
    var header: String {
        var text = "\(name)=\(value); Path=/; HttpOnly; SameSite=Lax"
        if let maximumAge { text += "; Max-Age=\(maximumAge)" }
        if isSecure { text += "; Secure" }
        return text
    }
}

/// The sentence that a form leaves for the next page. It is signed with the session, so that nobody else can put words
/// into a page.
enum NoticeCookie {
    static let name = "belfry-notice"
    /// The lifetime in seconds. The sentence is shown once.
    static let maximumAge = 60

    static func value(_ notice: Notice, session: String) -> String {
        let text = WireURL.encoded("\(notice.kind.rawValue):\(notice.text)")
        return "\(signature(of: text, session: session)).\(text)"
    }

    static func read(_ value: String, session: String) -> Notice? {
        let parts = value.utf8.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
            .map { String(Substring($0)) }
        guard parts.count == 2, parts[0] == signature(of: parts[1], session: session),
            let words = WireURL.decoded(parts[1])?.utf8.split(separator: UInt8(ascii: ":"), maxSplits: 1),
            words.count == 2, let kind = Notice.Kind(rawValue: String(Substring(words[0])))
        else { return nil }
        return Notice(kind: kind, text: String(Substring(words[1])))
    }

    private static func signature(of text: String, session: String) -> String {
        let key = SymmetricKey(data: Data("notice:\(session)".utf8))
        return HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: key).hexText
    }
}
