import BelfryModel

/// Whether a contact key in a snapshot may set the contact of its device (ID-3, ID-9, WIRE-2).
public enum ContactKeyRule: Hashable, Sendable {
    /// Any key is accepted.
    case stated
    /// A contact must be proven by an OpenID token.
    case proven
    /// A link must name one of the app's contact fields, and a snapshot does not name any.
    case fielded

    /// Why the key is not accepted; nil when it is.
    ///
    /// - Parameter linked: the key of the known contact that the device is linked to; repeating it changes nothing.
    public func error(of key: ContactKey, linked: String?) -> ValueError? {
        // Compared byte by byte, as in the store.
        if let linked, key.rawValue.utf8.elementsEqual(linked.utf8) { return nil }
        switch self {
        case .stated:
            return nil
        case .proven:
            return ValueError(
                code: "notProven", message: "This app links contacts only by OpenID tokens. The contact key is ignored."
            )
        case .fielded:
            return ValueError(
                code: "contactFieldNotAllowed",
                message: "This app links only by certain contact fields, and a registration has none. Link the contact."
            )
        }
    }
}
