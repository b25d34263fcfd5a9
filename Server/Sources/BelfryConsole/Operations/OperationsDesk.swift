import BelfryServices

/// The pages for operators of the server, in the order of their navigation (CON-10).
enum OperationsPlace: String, CaseIterable, Sendable {
    case overview
    case quarantine
    case audit
    case people

    var title: String {
        switch self {
        case .overview: "Server"
        case .quarantine: "Quarantine"
        case .audit: "Audit log"
        case .people: "People"
        }
    }

    /// The path of the page, after `/console`.
    var path: String { self == .overview ? "/operations" : "/operations/\(rawValue)" }
    var address: String { "/console\(path)" }
}

/// The data that every page for operators needs.
struct OperationsDesk: Sendable {
    let place: OperationsPlace
    let formToken: String

    init(_ call: ConsoleCall, _ place: OperationsPlace) throws {
        self.place = place
        formToken = try call.signedIn().formToken
    }

    var address: String { place.address }

    var tabs: [Tab] {
        OperationsPlace.allCases.map { place in
            Tab(tabTitle: place.title, tabAddress: place.address, isPresent: place == self.place)
        }
    }

    func page(_ template: String, _ model: any Sendable) -> Page {
        Page("\(place.title) · Operations", template: template, section: .operations, model: model)
    }
}
