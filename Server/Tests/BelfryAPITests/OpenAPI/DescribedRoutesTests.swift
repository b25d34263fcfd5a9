import BelfryTestSupport
import Hummingbird
import Testing

@testable import BelfryAPI

@Suite("The description and the routes")
struct DescribedRoutesTests {
    @Test("WIRE-28: the description is served as JSON, the same text each time")
    func served() async throws {
        try await TestServer.run { server in
            let response = try await server.call(.get, "/openapi.json")
            #expect(response.status == .ok)
            #expect(response.header("Content-Type") == "application/json")
            #expect(response.header("Cache-Control") == "no-store")
            #expect(response.header("X-Content-Type-Options") == "nosniff")
            let served = try JSONValue(parsing: response.body.readableBytesView)
            #expect(served["openapi"] == .string("3.1.0"))
            #expect(served == APIDescription.own.document)
            let again = try await server.call(.get, "/openapi.json")
            #expect(again.text == response.text)
        }
    }

    @Test("WIRE-28: every route is described once, and nothing else is")
    func routes() async throws {
        try await TestServer.run { server in
            let routes = server.routes.filter { !$0.hasPrefix("HEAD ") && !$0.hasPrefix("OPTIONS ") }.sorted()
            let described = APIDescription.own.operations.map { "\($0.method) \($0.path)" }.sorted()
            #expect(routes.count > 30)
            #expect(described == routes)
            // A dictionary shows only one of two routes at the same place, so the underlying list is counted, too.
            #expect(APIRoutes.operations.count == described.count)
        }
    }

    @Test("WIRE-28: an address that matches two operations belongs to the more specific one")
    func lookUp() throws {
        let description = APIDescription.own
        #expect(description.operation("GET", at: "/api/v1/apps/shop/contacts?limit=1")?.id == "listContacts")
        #expect(description.operation("GET", at: "/api/v1/apps/shop/contacts/anna")?.id == "readContact")
        #expect(description.operation("PUT", at: "/v3/apps/shop/client/push_token")?.id == "putPushTokenByUnderscore")
        #expect(description.operation("PATCH", at: "/v3/apps/shop/client") == nil)
        #expect(description.operation("GET", at: "/v3/apps/shop/client/registration") == nil)
    }
}
