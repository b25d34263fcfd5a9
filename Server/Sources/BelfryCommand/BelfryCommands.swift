import ArgumentParser

/// The program's commands, except its benchmarks.
package enum BelfryCommands {
    package static var all: [any ParsableCommand.Type] {
        [
            ServeCommand.self, AppCommand.self, AudienceCommand.self, CampaignCommand.self, ExplainCommand.self,
            ContactCommand.self, PeopleCommand.self, SearchCommand.self, CalendarCommand.self, StatisticsCommand.self,
            DeviceCommand.self, ExportCommand.self, EraseCommand.self,
            ErasuresCommand.self,
            AuditCommand.self, QuarantineCommand.self, ServerCommand.self, UserCommand.self, DoctorCommand.self,
            MigrateStoreCommand.self, InstallCommand.self, ReadyCommand.self, SimulateCommand.self,
            DemoCommand.self, PhoneCommand.self,
            DemoPhonesCommand.self,
        ]
    }
}

struct SimulateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Run simulated push services and devices, for tests without any account.",
        subcommands: [SimulatePushServicesCommand.self, SimulateDevicesCommand.self]
    )
}
