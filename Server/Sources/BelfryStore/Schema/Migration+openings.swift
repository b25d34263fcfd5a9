extension Migration {
    /// Openings of the app are no change of a device any more, so audiences that ask for them are looked at each time.
    /// Whether one of an app's does is settled with its next change; until then all are.
    static let openings = Migration(version: 9) { _ in ["UPDATE in_app_clocks SET volatile = 1"] }
}
