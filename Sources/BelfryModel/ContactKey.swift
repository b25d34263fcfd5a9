import Foundation

/// The value that names a contact to the app's owner: trimmed, never blank, at most 255 characters (REG-9).
public struct ContactKey: Hashable, Sendable {
    public static let maximumLength = 255

    public let rawValue: String

    public init(_ raw: String) throws(Refusal) {
        let trimmed = raw.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !trimmed.isEmpty else {
            throw Refusal(code: "blank", message: "A contact key cannot be empty or blank.")
        }
        guard trimmed.count <= Self.maximumLength else {
            throw Refusal(code: "tooLong", message: "A contact key has at most \(Self.maximumLength) characters.")
        }
        rawValue = trimmed
    }
}

extension ContactKey: CustomStringConvertible {
    public var description: String { rawValue }
}
