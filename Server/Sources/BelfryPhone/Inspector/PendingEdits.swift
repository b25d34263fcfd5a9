import Foundation

/// What the app has changed of the contact record since the registration that the server accepted last.
struct PendingEdits: Sendable {
    /// Parts that are kept by name; a sentence with more is none.
    static let maximumNames = 12

    private var edits: [(part: String, at: Date)] = []

    /// In the order of the edits, each once.
    var parts: [String] { edits.map(\.part) }

    mutating func note(_ part: String, at date: Date) {
        edits.removeAll { $0.part.utf8.elementsEqual(part.utf8) }
        edits = Array((edits + [(part, date)]).suffix(Self.maximumNames))
    }

    /// The server has accepted a registration that was sent at this time.
    mutating func accepted(sentAt date: Date) {
        edits.removeAll { $0.at <= date }
    }

    mutating func clear() {
        edits = []
    }
}

extension PendingEdits {
    /// "The edit of city", "The edits of city and tag sports"; nil for none.
    var subject: String? {
        switch parts.count {
        case 0: nil
        case 1: "The edit of \(parts[0])"
        default: "The edits of \(parts.dropLast().joined(separator: ", ")) and \(parts[parts.count - 1])"
        }
    }
}
