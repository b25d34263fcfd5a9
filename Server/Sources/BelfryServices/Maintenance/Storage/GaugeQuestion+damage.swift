extension GaugeQuestion {
    /// Whether the database has said that it is damaged, and nobody has checked or restored it since.
    package static func damage(_ mark: DamageMark) -> GaugeQuestion {
        GaugeQuestion(name: "damage", failure: "the mark of a damaged database cannot be looked for") {
            ["belfry_database_damaged": mark.isSet ? 1 : 0]
        }
    }
}
