import Foundation

/// The pages that people open, and what each may take at p99 (PERF-12, CON-1).
enum ConsoleBenchPage: String, CaseIterable, Sendable {
    case home
    case campaigns
    case campaign
    case peopleBehindFigure = "people behind a figure"
    case people = "search of people"
    case person
    case calendar
    case count = "audience's count"

    /// To the first byte, in milliseconds.
    var most: Double {
        switch self {
        case .home, .campaign, .person, .calendar: 20
        case .campaigns, .people, .peopleBehindFigure: 50
        case .count: 100
        }
    }
}

/// Where they are.
struct ConsoleBenchPages: Sendable {
    let devices: Int
    let campaigns: [Int64]

    /// - Parameter number: of the visit; another campaign and person each time.
    func path(_ page: ConsoleBenchPage, number: Int) -> String {
        let app = "/console/apps/\(ConsoleBench.app)"
        let campaign = campaigns[number % campaigns.count]
        // A prime, so that they lie all over the table.
        let person = number * 7_919 % devices
        return switch page {
        case .home: app
        case .campaigns: "\(app)/campaigns"
        case .campaign: "\(app)/campaigns/\(campaign)"
        case .peopleBehindFigure: "\(app)/campaigns/\(campaign)/people?state=accepted"
        case .people: "\(app)/people?q=person-\(person)"
        case .person: "\(app)/people/\(person + 1)"
        case .calendar: "\(app)/calendar"
        case .count: "\(app)/campaigns/preview"
        }
    }

    /// A condition with three clauses, as the audience builder sends it while somebody composes.
    static let audience = """
        {"all":[{"attribute":"city","op":"==","value":"Paris"},{"attribute":"firstName","op":"!=","value":"Anna"},\
        {"device":"platform","op":"==","value":"ios"}]}
        """
}
