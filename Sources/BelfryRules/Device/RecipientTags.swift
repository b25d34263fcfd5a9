/// Distinguishes pushes for the person who uses the device from those for former persons (ID-4).
///
/// A contact's reference begins with its recipient tag, and a push carries the tag of its recipient. A person may have
/// several: the tags of the anonymous contacts that they were before they logged in stay theirs (ID-8).
public struct RecipientTags: Hashable, Sendable, Codable {
    /// The number of characters.
    public static let tagLength = 12
    /// The maximum number of tags of former persons, and of the present one; beyond it the oldest are dropped. Every
    /// login and logout adds two, so the limit suffices for more than a hundred changes.
    public static let maximumTags = 256

    /// The tags of former persons, oldest first.
    public private(set) var former: [String] = []
    private var present: [String] = []
    /// The number of the first contact of the present person.
    private var firstOwner = 0

    public init() {}

    /// The tags of contacts that were linked before tags were stored; all of them count as the present person's.
    public init(references: [Int: String]) {
        for (owner, reference) in references.sorted(by: { $0.key < $1.key }) {
            linked(reference, owner: owner)
        }
    }

    /// The first part of a contact's reference; nil when it has none.
    public static func tag(of reference: String) -> String? {
        let bytes = reference.utf8
        guard bytes.count > tagLength,
            let end = bytes.index(bytes.startIndex, offsetBy: tagLength, limitedBy: bytes.endIndex),
            bytes[end] == UInt8(ascii: ".")
        else { return nil }
        return String(reference[..<end])
    }

    /// A contact was linked. It belongs to a former person if the person changed before the response arrived.
    public mutating func linked(_ reference: String, owner: Int) {
        guard let tag = Self.tag(of: reference) else { return }
        if owner >= firstOwner {
            former.removeAll { $0 == tag }
            Self.add(tag, to: &present)
        } else if !present.contains(tag) {
            Self.add(tag, to: &former)
        }
    }

    /// Another person uses the device from now on.
    ///
    /// - Parameter owner: the number of their contact.
    public mutating func personChanged(owner: Int) {
        for tag in present {
            Self.add(tag, to: &former)
        }
        present = []
        firstOwner = owner
    }

    /// Whether a push is for a person who used the device before.
    ///
    /// - Parameters:
    ///   - tag: the tag in the push; a push without one is for everybody.
    ///   - reference: the reference of the contact for whom events are tracked now, if it is known.
    public func isFormer(_ tag: String?, reference: String?) -> Bool {
        guard let tag, former.contains(tag) else { return false }
        return tag != reference.flatMap(Self.tag(of:))
    }

    private static func add(_ tag: String, to tags: inout [String]) {
        tags.removeAll { $0 == tag }
        tags.append(tag)
        tags.removeFirst(max(0, tags.count - maximumTags))
    }
}
