import BelfryStore
import Configuration
import Foundation

/// What a server process does for its deployment (FLEET-1).
enum ServerRole: String, CaseIterable, Hashable, Sendable {
    /// Answers devices, operators and the console.
    case api
    /// Applies registrations, plans, rehearses and sends campaigns, sums up figures, and removes what has expired.
    case worker
}

/// The roles of one process: one or both.
struct ServerRoles: Hashable, Sendable {
    static let both = ServerRoles(roles: Set(ServerRole.allCases))
    static let form = "'api', 'worker', or both, separated by a comma"

    private let roles: Set<ServerRole>

    private init(roles: Set<ServerRole>) {
        self.roles = roles
    }

    /// Returns nil if a role is unknown or none is given.
    init?(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map {
            Substring($0)
        }
        let roles = parts.compactMap { ServerRole(rawValue: $0.trimmingCharacters(in: .whitespaces)) }
        guard roles.count == parts.count else { return nil }
        self.init(roles: Set(roles))
    }

    func contains(_ role: ServerRole) -> Bool { roles.contains(role) }

    /// Whether the other processes must be signaled when this one stores work. A worker applies the registrations of
    /// its own devices itself, while all workers share the campaigns.
    func tellsOthers(of work: SharedWork) -> Bool {
        work != .registrations || !contains(.worker)
    }
}

extension ServerRoles: CustomStringConvertible {
    var description: String { ServerRole.allCases.filter(contains).map(\.rawValue).joined(separator: ",") }
}

extension ConfigReader {
    func roles() throws -> ServerRoles {
        try parsed("role", as: ServerRoles.form, ServerRoles.init) ?? .both
    }
}
