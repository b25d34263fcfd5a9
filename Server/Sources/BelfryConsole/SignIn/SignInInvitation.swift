import BelfryModel
import BelfryServices
import Foundation
import Synchronization

/// An address that signs a browser in once: the demonstration prints it, and no other server has one (CON-3). It ends
/// after an hour.
package final class SignInInvitation: Sendable {
    static let lifetime: TimeInterval = 3_600

    private struct Open: Sendable {
        let code: String
        let user: Int64
        let expires: Date
    }

    private let environment: ServerEnvironment
    private let open = Mutex<Open?>(nil)

    /// It signs nobody in before ``invite(_:)``.
    package init(environment: ServerEnvironment) {
        self.environment = environment
    }

    /// Invites a person; a former invitation ends.
    ///
    /// - Returns: the path and query of the address.
    package func invite(_ user: Int64) -> String {
        let code = Hexadecimal.text(environment.randomBytes(24))
        let expires = environment.now().addingTimeInterval(Self.lifetime)
        open.withLock { $0 = Open(code: code, user: user, expires: expires) }
        return "/console/welcome?code=\(code)"
    }

    /// The person, the first time that the right code comes.
    func accept(_ code: String) -> Int64? {
        let now = environment.now()
        return open.withLock { open in
            guard let invitation = open, now < invitation.expires,
                constantTimeEqual(Array(code.utf8), Array(invitation.code.utf8))
            else { return nil }
            open = nil
            return invitation.user
        }
    }
}
