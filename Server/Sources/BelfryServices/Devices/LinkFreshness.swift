import BelfryStore

/// Whether a link counts for a device, by the epoch that it shows and its order (WIRE-21, ID-10).
enum LinkFreshness: Hashable, Sendable {
    /// It is made.
    case counts
    /// It is the last one once more: the answer may have been lost. It changes nothing.
    case again
    /// Another was made since, as far as can be told. It changes nothing.
    case late
}

/// What decides the freshness of a link.
struct LinkOrder: Hashable, Sendable {
    let level: CallerAuthLevel
    /// The link generation that the call shows; nil when it shows none: then it is compared by its order alone.
    let generation: Int64?
    let milliseconds: Int64
    /// Nobody is to be linked any more.
    let isLogout: Bool
}

extension DeviceRow {
    /// Whoever shows the present epoch knows of the last link, so nothing is older in it but what a registration has said;
    /// and a logout is carried out whatever the clock says, for none that was carried out shows the present epoch again.
    ///
    /// In an ended epoch only what may follow a lost answer counts: a newer order than that of the link which ended it,
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
