/// The author of an edit, comment or approval of a campaign: a person who signs in, or a key of the admin API (CON-5).
package enum Author: Hashable, Sendable {
    /// A person's number, which nobody else ever gets.
    case user(Int64)
    /// A key's name: `root` or `key-7`.
    case key(String)
}

/// An author with their names, for lists.
package struct NamedAuthor: Hashable, Sendable {
    package let author: Author
    /// The name with which the person signs in. Nil for a key, and for a person who has been removed.
    package let userName: String?
    /// The person's displayed name. Nil in the same cases as the name.
    package let displayName: String?

    package init(_ author: Author, userName: String? = nil, displayName: String? = nil) {
        self.author = author
        self.userName = userName
        self.displayName = displayName
    }
}

/// A step of an approval (CON-5).
package enum CampaignDecision: String, Hashable, Sendable, Codable, CaseIterable {
    /// Somebody was asked to review the version.
    case requested
    case approved
    case rejected
}
