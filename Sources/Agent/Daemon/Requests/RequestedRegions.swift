import Core
import Logging

extension RegionSettings {
    /// The regions that requests registered in an earlier process.
    func requested(by definitions: [RegionDefinition], logger: Logger) -> [MonitoredRegion] {
        var regions: [MonitoredRegion] = []
        for definition in definitions {
            do throws(ConfigurationErrors) {
                regions.append(try region(definition))
            } catch {
                logger.warning("a region that a request had registered is left out: \(error)")
            }
        }
        return regions
    }
}
