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

/// The entries of the navigation, in its order: the parts of the console that there are.
enum NavigationSection: String, CaseIterable, Sendable {
    case home
    case campaigns

    var title: String {
        switch self {
        case .home: "Home"
        case .campaigns: "Campaigns"
        }
    }

    /// Behind the address of the app.
    var path: String {
        switch self {
        case .home: ""
        case .campaigns: "/campaigns"
        }
    }

    /// The key that leads to it, behind `g`.
    var key: String {
        switch self {
        case .home: "h"
        case .campaigns: "c"
        }
    }
}
