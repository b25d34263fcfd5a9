/// Tells pushes for the person who uses the device from those for somebody who used it before (ID-4).
///
/// A contact's reference begins with its recipient mark, and a push carries the mark of the contact that it is for. The
/// marks of one person are several: those of the anonymous contacts that they were before they logged in stay theirs
/// (ID-8).
public struct RecipientMarks: Hashable, Sendable, Codable {
    /// Characters.
    public static let markLength = 12
    /// Marks of former persons, and as many of the present one; beyond it the oldest go. Every login and logout makes
    /// two, so it holds a device that changes hands more than a hundred times.
    public static let maximumMarks = 256

    /// Oldest first.
    public private(set) var former: [String] = []
    private var present: [String] = []
    /// The number of the first contact of the present person.
    private var firstOwner = 0

    public init() {}

    /// The marks of contacts that were linked before marks were kept; all of them count as the present person's.
    public init(references: [Int: String]) {
        for (owner, reference) in references.sorted(by: { $0.key < $1.key }) {
            linked(reference, owner: owner)
        }
    }

    /// The first part of a contact's reference; nil when it has none.
    public static func mark(of reference: String) -> String? {
        let bytes = reference.utf8
        guard bytes.count > markLength,
            let end = bytes.index(bytes.startIndex, offsetBy: markLength, limitedBy: bytes.endIndex),
            bytes[end] == UInt8(ascii: ".")
        else { return nil }
        return String(reference[..<end])
    }

    /// A contact was linked. It belongs to a former person when the device changed hands before the answer came.
    public mutating func linked(_ reference: String, owner: Int) {
        guard let mark = Self.mark(of: reference) else { return }
        if owner >= firstOwner {
            former.removeAll { $0 == mark }
            Self.add(mark, to: &present)
        } else if !present.contains(mark) {
            Self.add(mark, to: &former)
        }
    }

    /// Another person uses the device from now on.
    ///
    /// - Parameter owner: the number of their contact.
    public mutating func personChanged(owner: Int) {
        for mark in present {
            Self.add(mark, to: &former)
        }
        present = []
        firstOwner = owner
    }

    /// Whether a push is meant for somebody who used the device before.
    ///
    /// - Parameters:
    ///   - mark: what the push says; a push without one is anybody's.
    ///   - reference: that of the contact for whom events are tracked now, if it is known.
    public func isFormer(_ mark: String?, reference: String?) -> Bool {
        guard let mark, former.contains(mark) else { return false }
        return mark != reference.flatMap(Self.mark(of:))
    }

    private static func add(_ mark: String, to marks: inout [String]) {
        marks.removeAll { $0 == mark }
        marks.append(mark)
        marks.removeFirst(max(0, marks.count - maximumMarks))
    }
}
