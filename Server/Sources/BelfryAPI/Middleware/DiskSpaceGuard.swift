import BelfryServices
import HTTPTypes
import Hummingbird

/// Rejects what makes the store grow while its disk is below the floor (SEC-9): registrations, events, new devices and
/// links, and what operators create. Calls that read, refresh a token, change an existing row, remove something or end
/// work are accepted: the space below the floor is for them.
struct DiskSpaceGuard: Sendable {
    /// POST and PUT operations that are accepted. All others are rejected, including routes that are added later.
    static let exempt: Set<String> = [
        "/v3/apps/{appCode}/client/contact-token", "/v3/apps/{appCode}/client/contact_token",
        "/v3/apps/{appCode}/client/badge", "/v3/apps/{appCode}/client/messages/{messageId}/state",
        "/v3/apps/{appCode}/client/messages/{messageId}/rich-content/confirmation",
        "/v3/apps/{appCode}/inline-messages", "/v4/apps/{appCode}/inline-messages",
        "/api/v1/apps/{app}/settings", "/api/v1/apps/{app}/credentials/apns", "/api/v1/apps/{app}/credentials/fcm",
        "/api/v1/apps/{app}/credentials/webpush", "/api/v1/apps/{app}/audience",
        "/api/v1/apps/{app}/devices/{clientId}/revoke", "/api/v1/apps/{app}/contacts/{contactKey}/erase",
        "/api/v1/apps/{app}/campaigns/{id}/preview", "/api/v1/apps/{app}/campaigns/{id}/dry-run",
        "/api/v1/apps/{app}/campaigns/{id}/pause", "/api/v1/apps/{app}/campaigns/{id}/cancel",
        "/api/v1/apps/{app}/campaigns/{id}/recall", "/api/v1/apps/{app}/contacts/{contactKey}/messages/{id}/recall",
        "/api/v1/quarantine/{work}/retry",
    ]

    /// What goes on at the console: people sign in, stop what is being sent, and out.
    static let exemptPages: Set = ["/console/sign-in", "/console/sign-out", "/console/scheme"]

    let storage: StorageWatch

    /// - Parameter path: the route's pattern; nil for an unknown address.
    func check(_ method: HTTPRequest.Method, of path: String?) throws(APIError) {
        guard storage.isLow, method == .post || method == .put || method == .patch, let path,
            !Self.exempt.contains(path), !Self.exemptPages.contains(path)
        else { return }
        storage.noteRejection()
        throw .storageFull
    }
}
