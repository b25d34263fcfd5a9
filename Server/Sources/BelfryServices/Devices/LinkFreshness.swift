import BelfryStore

/// Whether a link counts for a device, by the epoch that it shows and its order (WIRE-21, ID-10).
enum LinkFreshness: Hashable, Sendable {
    /// The link is made.
    case counts
    /// The last link is repeated, because its response may have been lost. It changes nothing.
    case again
    /// A later link was probably made before. This one changes nothing.
    case late
}

/// What decides the freshness of a link.
struct LinkOrder: Hashable, Sendable {
    let level: CallerAuthLevel
    /// The link generation that the call shows. Nil when it shows none: then only its order counts.
    let generation: Int64?
    let milliseconds: Int64
    /// Whether the call is a logout.
    let isLogout: Bool
}

extension DeviceRow {
    /// A caller who shows the present epoch knows of the last link, so only a registration can be newer than such a
    /// call. A logout counts whatever the clock says: a logout that was made before has begun a newer epoch, so a call
    /// that shows the present one is no late copy of it.
    ///
    /// In an ended epoch only what may follow a lost response counts: a newer order than that of the link which ended it,
    /// as long as nobody has used that link's tokens.
    func freshness(of link: LinkOrder) -> LinkFreshness {
        guard contact != nil, link.level != .unlinked else { return .counts }
        guard let generation = link.generation else {
            return link.milliseconds >= contactOrder.milliseconds ? .counts : .late
        }
        if generation >= orderEpoch {
            let order = PropertyOrder(generation: generation, milliseconds: link.milliseconds)
            return link.isLogout || accepts(order, over: contactOrder) ? .counts : .late
        }
        guard generation == contactOrder.generation, confirmedGeneration < orderEpoch else { return .late }
        if link.milliseconds == contactOrder.milliseconds { return .again }
        return link.milliseconds > contactOrder.milliseconds ? .counts : .late
    }
}
