import Belfry
import BelfryModel

/// What the person sees of the sample app, a shop. It ends with the app's process.
struct SampleApp: Sendable {
    enum Tab: String, Sendable, Codable, CaseIterable {
        case home, products, basket, inbox, profile
    }

    struct Product: Sendable, Encodable {
        let sku: String
        let name: String
        let price: Double
    }

    /// The view id of inline messages on the home screen.
    static let inlineView = "home"

    static let products = [
        Product(sku: "runner", name: "Trail runner", price: 89),
        Product(sku: "shell", name: "Rain shell", price: 120),
        Product(sku: "bottle", name: "Steel bottle", price: 18),
        Product(sku: "lamp", name: "Head lamp", price: 35),
    ]

    /// The two people who may log in.
    static let people = ["ann", "ben"]

    var tab = Tab.home
    var product: String?
    var basket: [String] = []
    /// The message of the message center that is open, and its page if it has one.
    var message: (id: String, html: String?)?
    /// The address that an action has opened.
    var link: String?
    /// The notification that came while the app was shown.
    var banner: PhoneNotification?
    /// The inline message of the home screen, by the number of its page.
    var inline: (page: Int, message: InlineMessage)?

    static func product(_ sku: String) -> Product? {
        products.first { $0.sku == sku }
    }
}
