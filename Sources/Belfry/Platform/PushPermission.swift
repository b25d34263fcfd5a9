import BelfryModel

/// What the operating system says about pushes of this app.
public enum PushPermission: String, Hashable, Sendable, Codable, CaseIterable {
    /// The person was never asked.
    case notAsked
    /// The person said no, in the question or later in the system's settings.
    case denied
    /// The person said yes, or the system shows pushes quietly until the person decides.
    case granted

    /// As the contact record keeps it.
    var osPushEnabled: Bool? {
        switch self {
        case .notAsked: nil
        case .denied: false
        case .granted: true
        }
    }
}

extension ContactRecord {
    /// Takes the operating system's answer. "Not asked" is more than not to know: then no token is reported (REG-30).
    mutating func take(_ permission: PushPermission) {
        osPushEnabled = permission.osPushEnabled
        osPushIsUnasked = permission == .notAsked
    }
}
