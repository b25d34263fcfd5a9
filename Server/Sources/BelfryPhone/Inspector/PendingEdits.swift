import Foundation

/// The parts of the contact record that the app has changed since the last registration that the server accepted.
struct PendingEdits: Sendable {
    /// The number of parts that are kept by name; more would make the sentence unreadable.
    static let maximumNames = 12

    private var edits: [(part: String, at: Date)] = []

    /// The names of the parts in the order of their last edits, each once.
    var parts: [String] { edits.map(\.part) }

    mutating func note(_ part: String, at date: Date) {
        edits.removeAll { $0.part.utf8.elementsEqual(part.utf8) }
        edits = Array((edits + [(part, date)]).suffix(Self.maximumNames))
    }

    /// Removes the edits in a registration that was sent at this time and accepted.
    mutating func accepted(sentAt date: Date) {
        edits.removeAll { $0.at <= date }
    }

    mutating func clear() {
        edits = []
    }
}

extension PendingEdits {
    /// The subject of a sentence: "The edit of city", "The edits of city and tag sports"; nil without edits.
    var subject: String? {
        switch parts.count {
        case 0: nil
        case 1: "The edit of \(parts[0])"
        default: "The edits of \(parts.dropLast().joined(separator: ", ")) and \(parts[parts.count - 1])"
        }
    }
}
