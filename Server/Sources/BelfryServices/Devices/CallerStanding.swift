/// What a call shows of itself to the device that it names. An id is a name and no proof (WIRE-20).
enum CallerStanding: Hashable, Sendable {
    /// The id, and no more.
    case stranger
    /// The state of a contact that this installation has left: the answer with a newer one may have been lost. It is
    /// the same installation, and vouches for no contact.
    case installation
    /// By state or token, that it is linked to the device's contact.
    case linked
}
