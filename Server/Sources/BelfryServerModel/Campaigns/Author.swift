/// Who edits, comments on or approves a campaign: a person who signs in, or a key of the admin API (CON-5).
package enum Author: Hashable, Sendable {
    /// By their number, which nobody else ever gets.
    case user(Int64)
    /// By its name: `root` or `key-7`.
    case key(String)
}

/// An author as lists show them.
package struct NamedAuthor: Hashable, Sendable {
    package let author: Author
    /// What the person signs in with; nil for a key, and for a person who has been removed.
    package let userName: String?
    /// What pages call the person; nil like the name.
    package let displayName: String?

    package init(_ author: Author, userName: String? = nil, displayName: String? = nil) {
        self.author = author
        self.userName = userName
        self.displayName = displayName
    }
}

/// A step of an approval (CON-5).
package enum CampaignDecision: String, Hashable, Sendable, Codable, CaseIterable {
    /// Somebody is asked to look at the version.
    case requested
    case approved
    case rejected
}
