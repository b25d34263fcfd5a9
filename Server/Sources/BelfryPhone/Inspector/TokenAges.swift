import Belfry
import BelfryModel
import Foundation

/// The times at which the phone got its tokens, read from its requests and responses.
struct TokenAges: Sendable, Hashable, Codable {
    private static let largestBody = 65_536

    /// When the contact token came. It identifies the person to the server, and is renewed.
    private(set) var contact: Date?
    /// When the refresh token came, which renews the contact token.
    private(set) var refresh: Date?
    /// When APNs issued the push token.
    private(set) var issued: Date?
    /// When the server accepted the push token.
    private(set) var accepted: Date?

    init(contact: Date? = nil, refresh: Date? = nil, issued: Date? = nil, accepted: Date? = nil) {
        self.contact = contact
        self.refresh = refresh
        self.issued = issued
        self.accepted = accepted
    }

    mutating func noteIssued(at date: Date) {
        issued = date
        accepted = nil
    }

    mutating func note(_ request: TransportRequest, _ response: TransportResponse, at date: Date) {
        guard (200..<300).contains(response.status) else { return }
        let path = request.path.utf8.prefix { $0 != UInt8(ascii: "?") }
        if Self.ends(path, with: "/client/push-token") { accepted = request.method == "PUT" ? date : nil }
        guard Self.ends(path, with: "/client/contact") || Self.ends(path, with: "/client/contact-token"),
            let body = try? CheckedJSON(response.body, maximumBytes: Self.largestBody).tree() as? [String: Any]
        else { return }
        if body["contactToken"] is String { contact = date }
        if body["refreshToken"] is String { refresh = date }
    }

    private static func ends(_ path: Substring.UTF8View, with end: String) -> Bool {
        path.reversed().starts(with: end.utf8.reversed())
    }
}

extension TokenAges {
    /// Sentences on the ages of the contact and refresh tokens.
    func contactLines(now: Date) -> [String] {
        [
            contact.map { "The contact token is \(age($0, now)) old; a 401 renews it (ID-6)." },
            refresh.map { "The refresh token is \(age($0, now)) old." },
        ].compactMap(\.self)
    }

    func pushLines(now: Date) -> [String] {
        [
            issued.map { "APNs gave it \(age($0, now)) ago." },
            accepted.map { "The server has it since \(age($0, now))." },
        ].compactMap(\.self)
    }

    private func age(_ date: Date, _ now: Date) -> String {
        Duration(max(0, now.timeIntervalSince(date))).words
    }
}
