/// Advice for an operator when a push service rejects the credentials (REG-33). Usually they must be set again here.
/// Some of Google's error codes name problems that can only be fixed in Google's own consoles.
enum CredentialAdvice {
    /// - Parameter reason: the push service's error code.
    static func sentence(after reason: String) -> String {
        switch reason {
        case "THIRD_PARTY_AUTH_ERROR":
            "Firebase cannot sign in to Apple's or the browsers' push service. Correct the project's APNs key or Web "
                + "Push certificate in the Firebase console (Project settings, Cloud Messaging), then resume. If they "
                + "are correct, the token is of another sender: revoke the device, then resume."
        case "SERVICE_DISABLED":
            "Enable the project's Firebase Cloud Messaging API in the Google Cloud console, then resume."
        case "BILLING_DISABLED", "CONSUMER_INVALID", "CONSUMER_SUSPENDED", "USER_PROJECT_DENIED":
            "Put the project in order in the Google Cloud console, or set credentials of another one, then resume."
        case "IAM_PERMISSION_DENIED", "PERMISSION_DENIED":
            "Allow the service account to send the project's messages in the Google Cloud console, or set credentials "
                + "of one that may, then resume."
        case "ACCOUNT_STATE_INVALID":
            "Enable the service account in the Google Cloud console, or set credentials of another one, then resume."
        default:
            "Set correct credentials, then resume."
        }
    }
}
