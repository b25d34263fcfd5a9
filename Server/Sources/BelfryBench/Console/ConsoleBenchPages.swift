import Foundation

/// The pages that people open, and the maximum time of each at p99 (PERF-12, CON-1).
enum ConsoleBenchPage: String, CaseIterable, Sendable {
    case home
    case campaigns
    case campaign
    case peopleBehindFigure = "people behind a figure"
    case people = "search of people"
    case person
    case calendar
    case count = "audience's count"

    /// The maximum time to the first byte, in milliseconds.
    var most: Double {
        switch self {
        case .home, .campaign, .person, .calendar: 20
        case .campaigns, .people, .peopleBehindFigure: 50
        case .count: 100
        }
    }
}

/// The paths of the pages.
struct ConsoleBenchPages: Sendable {
    let devices: Int
    let campaigns: [Int64]

    /// - Parameter number: the number of the visit. Each visit takes another campaign and another person.
    func path(_ page: ConsoleBenchPage, number: Int) -> String {
        let app = "/console/apps/\(ConsoleBench.app)"
        let campaign = campaigns[number % campaigns.count]
        // A prime number, so that the people are spread over the whole table.
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

    /// A condition with three clauses, as the audience builder sends it while a marketer composes.
    static let audience = """
        {"all":[{"attribute":"city","op":"==","value":"Paris"},{"attribute":"firstName","op":"!=","value":"Anna"},\
        {"device":"platform","op":"==","value":"ios"}]}
        """
}
