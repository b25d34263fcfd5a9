extension OpenAPI {
    /// What load balancers, Prometheus and makers of clients ask.
    static let serviceOperations: [Operation] = [
        Operation(
            method: .get, path: "/healthz", id: "readHealth", area: .service, access: .open,
            summary: "Say that the process lives",
            answers: [Answer(status: 200, description: "It does.", schema: status("ok"))]
        ),
        Operation(
            method: .get, path: "/readyz", id: "readReadiness", area: .service, access: .open,
            summary: "Say whether the server can do its work",
            answers: [Answer(status: 200, description: "It can.", schema: status("ready"))], faults: [.unavailable]
        ),
        Operation(
            method: .get, path: "/metrics", id: "readMetrics", area: .service, access: .open,
            summary: "Read the metrics",
            answers: [
                Answer(
                    status: 200, description: "As Prometheus reads them.", schema: .string(), mediaType: "text/plain")
            ]
        ),
        Operation(
            method: .get, path: "/openapi.json", id: "readDescription", area: .service, access: .open,
            summary: "Read this description",
            answers: [Answer(status: 200, description: "In OpenAPI 3.1.", schema: .anyObject)]
        ),
    ]

    private static func status(_ word: String) -> Schema {
        .object(["status": .word([word])])
    }
}
