import BelfryModel
import Foundation

/// What the page shows of a phone at one moment, and what its inspector says.
struct PhoneSight: Sendable {
    struct Screen: Decodable, Sendable {
        struct Notification: Decodable, Sendable {
            let id: Int
            let title: String?
        }

        struct App: Decodable, Sendable {
            struct Message: Decodable, Sendable {
                let id: String
                let subject: String
                let isUnread: Bool
            }

            /// The message that is open.
            struct Open: Decodable, Sendable {
                let message: Message
                let hasPage: Bool
            }

            let person: String?
            let basket: [Product]
            let messages: [Message]
            let message: Open?
            let unread: Int
        }

        struct Product: Decodable, Sendable {
            let sku: String
        }

        let place: String
        let process: String
        let permission: String
        let badge: Int
        let notifications: [Notification]
        let banner: Notification?
        let app: App?
    }

    struct Inspector: Decodable, Sendable {
        struct Section: Decodable, Sendable {
            let title: String
            let lines: [String]
        }

        let sections: [Section]
    }

    private struct Line: Decodable {
        let text: String
    }

    let screen: Screen
    private let inspector: Inspector
    /// What has happened, the newest first.
    let lines: [String]

    /// The first answer of a phone's stream.
    ///
    /// - Returns: nil while its last event, that of the inspector, is not there.
    init?(stream: Data) throws {
        var data: [String: Data] = [:]
        for event in String(decoding: stream, as: UTF8.self).components(separatedBy: "\n\n").dropLast() {
            let parts = event.components(separatedBy: "\ndata: ")
            guard parts.count == 2, parts[0].hasPrefix("event: ") else { continue }
            data[String(parts[0].dropFirst("event: ".count))] = Data(parts[1].utf8)
        }
        guard let inspector = data["inspector"], let screen = data["phone"] else { return nil }
        let decoder = JSONDecoder()
        self.inspector = try decoder.decode(Inspector.self, from: inspector)
        self.screen = try decoder.decode(Screen.self, from: screen)
        lines = try data["lines"].map { try decoder.decode([Line].self, from: $0).map(\.text) } ?? []
    }

    /// What the inspector says of a part of the SDK.
    func says(of title: String) -> String {
        inspector.sections.first { $0.title == title }?.lines.joined(separator: " ") ?? ""
    }

    /// The titles on the lock screen, the newest first.
    var titles: [String] { screen.notifications.compactMap(\.title) }

    var isRegistered: Bool { says(of: "Registration").contains("The server has revision") }

    /// The installation, as the server knows it.
    var device: String? {
        says(of: "Identity").firstMatch(of: /installation's id is (\S+)\./).map { String($0.1) }
    }
}

extension PhoneSight: CustomStringConvertible {
    /// Without ages, which grow while nothing else happens.
    var description: String {
        let sections = inspector.sections.map { "\($0.title): \($0.lines.joined(separator: " "))" }
            .joined(separator: "\n").replacing(/\d+ (?:s|min|h|days)(?= old| ago|[.;])/, with: "…")
        return "\(screen)\n\(sections)\n\(lines.prefix(12).joined(separator: "\n"))"
    }
}
