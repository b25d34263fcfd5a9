import Foundation

/// Checks whether a request has an access token with the right to send for its project.
enum FCMAuthorization {
    private static let scheme = "bearer "

    /// Checks the field `authorization`; `grant` returns the rights of a token.
    static func admit(
        _ header: String?,
        to project: String,
        now: Date,
        grant: (String) -> FCMAccessTokens.Grant?
    ) throws(FCMRequestError) {
        guard let header, let token = bearer(header) else {
            throw FCMRequestError(
                .unauthenticated,
                "Request is missing required authentication credential. Expected OAuth 2 access token."
            )
        }
        guard let grant = grant(token), grant.expiresAt > now else {
            throw FCMRequestError(
                .unauthenticated,
                "Request had invalid authentication credentials. Expected OAuth 2 access token."
            )
        }
        guard grant.mayMessage else {
            throw FCMRequestError(.permissionDenied, "Request had insufficient authentication scopes.")
        }
        guard grant.projectID == project else {
            throw FCMRequestError(
                .permissionDenied,
                "Permission 'cloudmessaging.messages.create' denied on resource "
                    + "'//cloudresourcemanager.googleapis.com/projects/\(project)' (or it may not exist)."
            )
        }
    }

    private static func bearer(_ header: String) -> String? {
        guard header.utf8.count > scheme.utf8.count, header.prefix(scheme.count).lowercased() == scheme else {
            return nil
        }
        return String(header.dropFirst(scheme.count))
    }
}
