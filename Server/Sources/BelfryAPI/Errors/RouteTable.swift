import Hummingbird

/// Which methods an address takes: what tells a 405 from a 404.
struct RouteTable: Sendable {
    private let methods: [(path: RouterPath, methods: [String])]

    init(_ routes: [Router<APIRequestContext>.RouteDescription]) {
        methods = Dictionary(grouping: routes, by: \.path.description).values.compactMap { routes in
            routes.first.map { first in
                var methods = Set(routes.map(\.method.rawValue))
                // The router answers HEAD wherever it answers GET. Where a route for it is laid, it is to be refused.
                if methods.contains("GET"), methods.remove("HEAD") == nil { methods.insert("HEAD") }
                return (first.path, methods.sorted())
            }
        }
    }

    /// In alphabetical order; empty when there is no such address.
    func methods(at path: String) -> [String] {
        let parts = path.split(separator: "/")
        return methods.first { entry in
            entry.path.count == parts.count && zip(entry.path, parts).allSatisfy { $0 ~= $1 }
        }?.methods ?? []
    }
}
