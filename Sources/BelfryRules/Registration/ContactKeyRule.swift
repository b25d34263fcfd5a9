import BelfryModel

/// Whether a contact key in a snapshot may set the contact of its device (ID-3, ID-9, WIRE-2).
public enum ContactKeyRule: Hashable, Sendable {
    /// Whoever states a key becomes that contact.
    case stated
    /// Only an OpenID token proves a contact.
    case proven
    /// A link names one of the app's contact fields, and a snapshot has none to name.
    case fielded

    public init(_ settings: AppSettings) {
        if settings.identityMode == .verified {
            self = .proven
        } else {
            self = settings.contactFields == nil ? .stated : .fielded
        }
    }

    /// Why the key is not taken; nil when it is.
    ///
    /// - Parameter linked: the key of the known contact that the device is linked to: to repeat it changes nothing.
    public func refusal(of key: ContactKey, linked: String?) -> Refusal? {
        // As the store tells keys apart: byte by byte.
        if let linked, key.rawValue.utf8.elementsEqual(linked.utf8) { return nil }
        switch self {
        case .stated:
            return nil
        case .proven:
            return Refusal(
                code: "notProven", message: "This app links contacts by OpenID tokens only: the contact key is ignored."
            )
        case .fielded:
            return Refusal(
                code: "contactFieldNotAllowed",
                message: "This app links by certain contact fields, and a registration names none: link the contact."
            )
        }
    }
}
