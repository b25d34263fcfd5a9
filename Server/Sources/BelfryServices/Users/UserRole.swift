/// A person's role in one app (CON-3). Each role includes those before it, except that an approver is not a marketer: a
/// person who approves a campaign does not write one.
package enum UserRole: String, Hashable, Sendable, CaseIterable, Codable {
    /// Sees everything of the app, and changes nothing.
    case viewer
    /// Composes and launches campaigns.
    case marketer
    /// Approves what marketers compose, and stops it.
    case approver
    /// Changes the app's settings, credentials, keys and people.
    case admin
}

/// The right that a page or a change of the console needs.
package enum UserRight: Hashable, Sendable, CaseIterable {
    case view
    /// Compose and launch campaigns, send tests, place and recall messages.
    case compose
    /// Approve a campaign of another person.
    case approve
    /// Comment on campaigns.
    case comment
    /// Pause and cancel campaigns: a person who is responsible for what is sent may stop it.
    case stop
    /// Export and erase people.
    case managePeople
    /// Settings, credentials, attributes, keys, roles.
    case administer
}

extension UserRole {
    package func allows(_ right: UserRight) -> Bool {
        switch right {
        case .view: true
        case .compose: self == .marketer || self == .admin
        case .approve: self == .approver || self == .admin
        case .stop, .comment: self != .viewer
        case .managePeople, .administer: self == .admin
        }
    }

    /// The nearest scope of the admin API; `Docs/SecurityModel.md` has the table.
    package var scope: AdminScope {
        switch self {
        case .viewer: .read
        case .marketer, .approver: .campaign
        case .admin: .admin
        }
    }
}
