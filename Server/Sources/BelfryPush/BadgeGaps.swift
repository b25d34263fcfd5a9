/// The recipient's ``Badge`` in a payload, or one number of it: the gaps become numbers and not texts.
struct BadgeGaps: Encodable {
    static let count = PayloadGap.badgeCount.marker

    let count = Self.count
    let revision = PayloadGap.badgeRevision.marker
}
