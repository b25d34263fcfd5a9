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
                // The first one counts: it has the longest path.
                if values[name] == nil { values[name] = String(Substring(parts[1])) }
            }
        }
    }

    subscript(_ name: String) -> String? { values[name] }
}

/// A cookie that is set or taken away.
struct SetCookie: Sendable {
    let name: String
    let value: String
    /// In seconds; nil: as long as the browser runs; 0 takes it away.
    let maximumAge: Int?
    let isSecure: Bool

    /// Scripts cannot read it, and other sites' forms do not send it.
    var header: String {
        var text = "\(name)=\(value); Path=/; HttpOnly; SameSite=Lax"
        if let maximumAge { text += "; Max-Age=\(maximumAge)" }
        if isSecure { text += "; Secure" }
        return text
    }
}

/// The sentence that a form leaves for the page after it. It is signed by the session, so that no one else's words
/// stand in a page.
enum NoticeCookie {
    static let name = "belfry-notice"
    /// It is shown once, within a minute.
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
