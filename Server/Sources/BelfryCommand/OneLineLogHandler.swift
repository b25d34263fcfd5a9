import Logging

/// Writes each log entry on one line: newlines and terminal escapes in a text that a client sent cannot forge an entry
/// (SEC-7).
package struct OneLineLogHandler: LogHandler {
    private var base: any LogHandler

    package init(_ base: any LogHandler) {
        self.base = base
    }

    /// A handler that writes to standard error.
    package static func standardError(label: String) -> OneLineLogHandler {
        OneLineLogHandler(StreamLogHandler.standardError(label: label))
    }

    package var logLevel: Logger.Level {
        get { base.logLevel }
        set { base.logLevel = newValue }
    }

    package var metadata: Logger.Metadata {
        get { base.metadata }
        set { base.metadata = newValue.mapValues(\.printable) }
    }

    package var metadataProvider: Logger.MetadataProvider? {
        get { base.metadataProvider }
        set { base.metadataProvider = newValue }
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { base[metadataKey: key] }
        set { base[metadataKey: key] = newValue?.printable }
    }

    package func log(event: LogEvent) {
        var event = event
        event.message = "\(event.message.description.printable)"
        event.metadata = event.metadata?.mapValues(\.printable)
        base.log(event: event)
    }
}

extension Logger.MetadataValue {
    fileprivate var printable: Logger.MetadataValue {
        switch self {
        case .string(let text): .string(text.printable)
        case .stringConvertible(let value): .string(value.description.printable)
        case .array(let values): .array(values.map(\.printable))
        case .dictionary(let values): .dictionary(values.mapValues(\.printable))
        }
    }
}
