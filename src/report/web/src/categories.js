// What a warp does in a cycle, as sm/attribution.h names it, from issuing to waiting longest.
import { css } from './charts.js';

export const CATEGORIES = [
  { name: 'exec', title: 'Exec' },
  { name: 'scheduling', title: 'Scheduling' },
  { name: 'data_hazard', title: 'DataHazard' },
  { name: 'data_cache_miss', title: 'DataCacheMiss' },
  { name: 'mshr', title: 'MSHR' },
  { name: 'structural_hazard', title: 'StructuralHazard' },
  { name: 'sync', title: 'Sync' },
  { name: 'fetch', title: 'Fetch' },
  { name: 'ctrl_hazard', title: 'CtrlHazard' },
];

export function categoryColour(category) {
  return css(`--cat-${category.name.replace(/_/g, '-')}`);
}
