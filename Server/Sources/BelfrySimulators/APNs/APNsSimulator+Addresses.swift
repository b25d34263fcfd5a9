extension APNsSimulator {
    /// Where a running simulator listens.
    public struct Addresses: Sendable, Equatable {
        /// The host of both services.
        public let host: String
        /// The port of the production service.
        public let productionPort: Int
        /// The port of the sandbox.
        public let sandboxPort: Int

        /// The base URL of one service, without a path.
        public func url(of environment: Environment) -> String {
            let name = host.contains(":") ? "[\(host)]" : host
            return switch environment {
            case .production: "https://\(name):\(productionPort)"
            case .sandbox: "https://\(name):\(sandboxPort)"
            }
        }
    }
}
