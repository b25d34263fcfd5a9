/// A page: what stands in it, by the template that shows it.
struct Page: Sendable {
    /// As the browser's tab says it, before the product's name.
    let title: String
    /// The file in `Pages` that shows the model, without its ending.
    let template: String
    /// A value of texts, flags, lists and such values; the template names its properties.
    let model: any Sendable
    /// The entry of the navigation that it belongs to.
    let section: NavigationSection?

    init(_ title: String, template: String, section: NavigationSection? = nil, model: any Sendable) {
        self.title = title
        self.template = template
        self.section = section
        self.model = model
    }
}

/// The entries of the navigation, in its order.
enum NavigationSection: String, CaseIterable, Sendable {
    case home
    case campaigns
    case calendar
    case people
    case messages
    case settings
    case operations

    var title: String {
        switch self {
        case .home: "Home"
        case .campaigns: "Campaigns"
        case .calendar: "Calendar"
        case .people: "People"
        case .messages: "Messages"
        case .settings: "Settings"
        case .operations: "Operations"
        }
    }

    /// Behind the address of the app; operations are of the whole server.
    var path: String {
        switch self {
        case .home: ""
        default: "/\(rawValue)"
        }
    }

    /// The key that leads to it, behind `g`.
    var key: String {
        switch self {
        case .home: "h"
        case .campaigns: "c"
        case .calendar: "l"
        case .people: "p"
        case .messages: "m"
        case .settings: "s"
        case .operations: "o"
        }
    }
}
