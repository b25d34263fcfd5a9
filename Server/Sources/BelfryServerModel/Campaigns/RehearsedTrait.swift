/// What else the devices of a rehearsal are counted by, beside their outcomes and hours (CON-12).
package enum RehearsedTrait: String, Hashable, Sendable, Codable, CaseIterable {
    case platform
    case zone
    case locale
}

extension RehearsalFigures {
    /// The groups of a trait, the largest first.
    package func groups(by trait: RehearsedTrait) -> [RehearsedGroup] {
        switch trait {
        case .platform: byPlatform
        case .zone: byZone
        case .locale: byLocale
        }
    }

    /// Whether it is known which devices each of these numbers stands for. An older program kept their outcomes alone.
    package var namesTraits: Bool {
        audience == 0 || RehearsedTrait.allCases.contains { groups(by: $0).contains { $0.place != nil } }
    }
}
