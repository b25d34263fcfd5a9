/// When a device said a property (its push token, its properties, its contact), by its own clock (WIRE-21).
///
/// Orders are compared within an epoch, which a link begins: a clock that was set back since then undoes nothing that a
/// person asks for (ID-10).
package struct PropertyOrder: Hashable, Sendable {
    /// The link generation that the call showed; 0 before the first link.
    package var generation: Int64
    package var milliseconds: Int64

    package init(generation: Int64 = 0, milliseconds: Int64 = 0) {
        self.generation = generation
        self.milliseconds = milliseconds
    }
}

extension DeviceRow {
    /// Whether what was said with this order counts over what was said before: it is of a later epoch, or not older in the
    /// same one.
    package func accepts(_ order: PropertyOrder, over former: PropertyOrder) -> Bool {
        let (epoch, formerEpoch) = (epoch(of: order), epoch(of: former))
        return epoch == formerEpoch ? order.milliseconds >= former.milliseconds : epoch > formerEpoch
    }

    /// Links that changed nothing give out later generations of the same epoch.
    private func epoch(of order: PropertyOrder) -> Int64 {
        min(order.generation, orderEpoch)
    }
}
