import BelfryStore
import Configuration
import Foundation

/// What a server process does for its deployment (FLEET-1).
enum ServerRole: String, CaseIterable, Hashable, Sendable {
    /// Answers devices, operators and the console.
    case api
    /// Applies registrations, plans and sends campaigns, rehearses them, sums up and removes what has expired.
    case worker
}

/// The roles of one process: one of them, or both.
struct ServerRoles: Hashable, Sendable {
    static let both = ServerRoles(roles: Set(ServerRole.allCases))
    static let form = "'api', 'worker', or both, separated by a comma"

    private let roles: Set<ServerRole>

    private init(roles: Set<ServerRole>) {
        self.roles = roles
    }

    /// Nil if one of them is unknown, or there is none.
    init?(_ text: String) {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        let roles = parts.compactMap { ServerRole(rawValue: $0.trimmingCharacters(in: .whitespaces)) }
        guard roles.count == parts.count else { return nil }
        self.init(roles: Set(roles))
    }

    func contains(_ role: ServerRole) -> Bool { roles.contains(role) }

    /// Whether the other processes are told of work that this one has stored: a worker applies by itself what its own
    /// devices register, while campaigns are shared among all workers.
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
