/// A property by which a rehearsal counts devices, besides their outcomes and hours (CON-12).
package enum RehearsedTrait: String, Hashable, Sendable, Codable, CaseIterable {
    case platform
    case zone
    case locale
}

extension RehearsalFigures {
    /// The groups of a trait, largest first.
    package func groups(by trait: RehearsedTrait) -> [RehearsedGroup] {
        switch trait {
        case .platform: byPlatform
        case .zone: byZone
        case .locale: byLocale
        }
    }

    /// Whether it is known which devices each place of a group stands for. An older program stored only their outcomes.
    package var namesTraits: Bool {
        audience == 0 || RehearsedTrait.allCases.contains { groups(by: $0).contains { $0.place != nil } }
    }
}
