import BelfryModel
import BelfryServices
import Foundation
import Synchronization

/// An address that signs a browser in once, within an hour. A demonstration prints it; no other server has one (CON-3).
package final class SignInInvitation: Sendable {
    static let lifetime: TimeInterval = 3_600

    private struct Open: Sendable {
        let code: String
        let user: Int64
        let expires: Date
    }

    /// A page of the demonstration outside the console.
    package struct Neighbour: Sendable {
        let name: String
        /// A sentence on what one can do there.
        let purpose: String
        let address: String

        package init(name: String, purpose: String, address: String) {
            self.name = name
            self.purpose = purpose
            self.address = address
        }
    }

    private struct State: Sendable {
        var open: Open?
        var isMade = false
        var neighbours: [Neighbour] = []
    }

    private let environment: ServerEnvironment
    private let state = Mutex(State())

    /// Nobody can sign in by it before ``invite(_:beside:)``.
    package init(environment: ServerEnvironment) {
        self.environment = environment
    }

    /// Whether a person was invited: then the server is a demonstration, and reached only from this machine.
    var isMade: Bool { state.withLock { $0.isMade } }

    /// The demonstration's other pages, which the first page of an app shows.
    var neighbours: [Neighbour] { state.withLock { $0.neighbours } }

    /// Invites a person; a former invitation becomes invalid.
    ///
    /// - Parameter neighbours: the demonstration's other pages.
    /// - Returns: the path and query of the address.
    package func invite(_ user: Int64, beside neighbours: [Neighbour] = []) -> String {
        let code = environment.randomBytes(24).hexText
        let expires = environment.now().addingTimeInterval(Self.lifetime)
        state.withLock {
            $0 = State(open: Open(code: code, user: user, expires: expires), isMade: true, neighbours: neighbours)
        }
        return "/console/welcome?code=\(code)"
    }

    /// The invited person, for the right code within its hour, and only once; nil for any other call.
    func accept(_ code: String) -> Int64? {
        let now = environment.now()
        return state.withLock { state in
            guard let invitation = state.open, now < invitation.expires,
                constantTimeEqual(Array(code.utf8), Array(invitation.code.utf8))
            else { return nil }
            state.open = nil
            return invitation.user
        }
    }
}
