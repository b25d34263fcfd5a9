import Belfry

/// The state of the sample app, a shop. It is lost when the app's process ends.
struct SampleApp: Sendable {
    enum Tab: String, Sendable, Codable, CaseIterable {
        case home, products, basket, inbox, profile
    }

    struct Product: Sendable, Encodable {
        let sku: String
        let name: String
        let price: Double
    }

    /// The open message of a message center. It may be in no list, if a push opened it (MC-15).
    struct OpenMessage: Sendable {
        let message: MessageCenterMessage
        /// The message's HTML page; nil until it is loaded, or if it has none.
        var html: String?
        var isLoading: Bool
    }

    /// The view id of inline messages on the home screen.
    static let inlineView = "home"
    /// The largest number of pieces in the basket; the oldest are removed first.
    static let largestBasket = 20

    static let products = [
        Product(sku: "runner", name: "Trail runner", price: 89),
        Product(sku: "shell", name: "Rain shell", price: 120),
        Product(sku: "bottle", name: "Steel bottle", price: 18),
        Product(sku: "lamp", name: "Head lamp", price: 35),
    ]

    /// The two people who can log in.
    static let people = ["ann", "ben"]

    var tab = Tab.home
    var product: String?
    var basket: [String] = []
    var message: OpenMessage?
    /// The address that a message's action has opened.
    var link: String?
    /// The number of the page with the home screen's inline message.
    var inline: Int?

    /// Whether the home screen is visible: neither a message nor an opened address covers it.
    var showsHome: Bool { tab == .home && message == nil && link == nil }

    static func product(_ sku: String) -> Product? {
        products.first { $0.sku == sku }
    }
}
