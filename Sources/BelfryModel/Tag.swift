import Foundation

/// A word that the app puts on a contact to group it: trimmed, never blank, at most 128 characters (REG-11).
public struct Tag: Hashable, Sendable, Comparable {
    public static let maximumLength = 128

    public let rawValue: String

    public init(_ raw: String) throws(Refusal) {
        let trimmed = raw.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !trimmed.isEmpty else {
            throw Refusal(code: "blank", message: "A tag cannot be empty or blank.")
        }
        guard trimmed.count <= Self.maximumLength else {
            throw Refusal(code: "tooLong", message: "A tag has at most \(Self.maximumLength) characters.")
        }
        rawValue = trimmed
    }

    public static func < (left: Tag, right: Tag) -> Bool {
        left.rawValue < right.rawValue
    }
}

extension Tag: CustomStringConvertible {
    public var description: String { rawValue }
}
